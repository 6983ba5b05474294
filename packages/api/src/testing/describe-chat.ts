import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { Actor } from "./actor.ts";
import {
  type ChatHub,
  type ChatHubOptions,
  openRoom,
  type RoomName,
  startChatHub,
} from "./chat-hub.ts";
import { type DatabaseKind, ruleDatabase } from "./test-database.ts";
import { startTestHub, type TestHub, type TestHubOptions } from "./test-hub.ts";

interface Databases {
  /** The databases on which the suite runs, by default that of {@link ruleDatabase}. */
  databases?: DatabaseKind[];
}

/**
 * Declares one suite per database. Each suite has a chat hub of its own. The hub starts before the
 * first test and closes after the last one.
 * @param suite receives the hub; the hub's members are available in hooks and tests only
 */
export const describeChat = (
  name: string,
  options: Omit<ChatHubOptions, "database"> & Databases,
  suite: (hub: ChatHub) => void,
): void => describeWith(startChatHub, name, options, suite);

/**
 * Like {@link describeChat}, with an account that has a vip pass. Before each test it publishes a
 * soul. The room of that soul has no messages.
 * @param options `owner` is the name of the account, by default `vera`
 */
export const describeRoom = (
  name: string,
  { owner = "vera", ...options }: Parameters<typeof describeChat>[1] & { owner?: string },
  suite: (hub: ChatHub, owner: Actor, room: RoomName) => void,
): void =>
  describeChat(name, options, (hub) => {
    const actor = {} as Actor;
    const room = {} as RoomName;
    beforeAll(async () => void Object.assign(actor, await hub.vip(owner)));
    beforeEach(async () => void Object.assign(room, await openRoom(actor)));
    suite(hub, actor, room);
  });

/** Like {@link describeChat}, with a hub that has no models. */
export const describeHub = (
  name: string,
  options: Omit<TestHubOptions, "database"> & Databases,
  suite: (hub: TestHub) => void,
): void => describeWith(startTestHub, name, options, suite);

function describeWith<Options extends Databases, Hub extends TestHub>(
  start: (options: Options & { database: DatabaseKind }) => Promise<Hub>,
  name: string,
  options: Options,
  suite: (hub: Hub) => void,
): void {
  describe.each(options.databases ?? [ruleDatabase()])(`${name} (on %s)`, (database) => {
    const hub = {} as Hub;
    beforeAll(async () => {
      Object.assign(hub, await start({ ...options, database }));
    });
    afterAll(() => hub.close());
    suite(hub);
  });
}
