import { expect, inject } from "vitest";
import type { HubConfig } from "../context.ts";
import { openLink, ownPrefix } from "../rooms/redis/redis.fixture.ts";
import { type ChatHub, openRoom, type RoomName, say, startChatHub } from "./chat-hub.ts";
import { eventually } from "./eventually.ts";
import { startRedis } from "./servers/own-redis.ts";
import { type DatabaseKind, emptyDatabase } from "./test-database.ts";

/** Two servers of one hub, with a shared database and Redis. */
export interface TwoServers extends AsyncDisposable {
  one: ChatHub;
  two: ChatHub;
  /** Starts one more server of the same hub. The test closes this server. */
  startOne(): Promise<ChatHub>;
  close(): Promise<void>;
}

export async function startTwoServers(
  kind: DatabaseKind,
  redisUrl: string | undefined = inject("services").redis,
  config: Partial<HubConfig> = {},
): Promise<TwoServers> {
  // The emptied database has the same id in every test, and names of Redis keys contain the id. A
  // new id hides the keys of earlier tests.
  const database = { ...(await emptyDatabase(kind)), id: ownPrefix() };
  const startOne = async () =>
    startChatHub({ database, config, redis: await openLink({ url: redisUrl ?? "" }) });
  const [one, two] = [await startOne(), await startOne()];
  const close = async () => void (await Promise.all([one.close(), two.close()]));
  return { one, two, startOne, close, [Symbol.asyncDispose]: close };
}

/** A public room on two servers of one hub, which share a Redis of their own. */
interface OutageRoom extends AsyncDisposable {
  /** The server that is not told that the room became private, since Redis is down. */
  two: ChatHub;
  room: RoomName;
  /** Kills Redis, and makes the room private on server `one`, which cannot tell server `two`. */
  makePrivateDuringOutage(): Promise<void>;
}

/**
 * Opens a public room on two servers of one hub. The servers share a Redis of their own, which the
 * test can kill.
 */
export async function openOutageRoom(): Promise<OutageRoom> {
  await using opened = new AsyncDisposableStack();
  const redis = opened.use(await startRedis());
  const { one, two } = opened.use(await startTwoServers("postgresql", redis.url));
  const owner = await one.vip("vera");
  const room = await openRoom(owner);
  await say(owner, room, "Hello.");
  const running = opened.move();
  return {
    two,
    room,
    async makePrivateDuringOutage() {
      await redis.kill();
      await eventually(() => expect(two.hub.bus()).toBe("down"));
      expect((await say(owner, room, "Just us.", { is_private: true })).status).toBe(200);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
