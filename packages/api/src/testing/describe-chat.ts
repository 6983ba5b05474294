import { afterAll, beforeAll, describe } from "vitest";
import { type ChatHub, type ChatHubOptions, startChatHub } from "./chat-hub.ts";

/**
 * Declares a suite with a chat hub of its own. The hub starts before the first test and closes after
 * the last one.
 * @param suite receives the hub; the hub's members are available in hooks and tests only
 */
export function describeChat(
  name: string,
  options: Omit<ChatHubOptions, "database">,
  suite: (hub: ChatHub) => void,
): void {
  describe(name, () => {
    const hub = {} as ChatHub;
    beforeAll(async () => {
      Object.assign(hub, await startChatHub(options));
    });
    afterAll(() => hub.close());
    suite(hub);
  });
}
