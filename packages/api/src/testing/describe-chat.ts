import { afterAll, beforeAll, describe } from "vitest";
import { type ChatHub, type ChatHubOptions, startChatHub } from "./chat-hub.ts";
import { type DatabaseKind, ruleDatabase } from "./test-database.ts";

interface SuiteOptions extends Omit<ChatHubOptions, "database"> {
  /** The databases on which the suite runs, by default that of {@link ruleDatabase}. */
  databases?: DatabaseKind[];
}

/**
 * Declares one suite per database. Each suite has a chat hub of its own. The hub starts before the
 * first test and closes after the last one.
 * @param suite receives the hub; the hub's members are available in hooks and tests only
 */
export function describeChat(
  name: string,
  { databases = [ruleDatabase()], ...options }: SuiteOptions,
  suite: (hub: ChatHub) => void,
): void {
  describe.each(databases)(`${name} (on %s)`, (database) => {
    const hub = {} as ChatHub;
    beforeAll(async () => {
      Object.assign(hub, await startChatHub({ ...options, database }));
    });
    afterAll(() => hub.close());
    suite(hub);
  });
}
