import { inject } from "vitest";
import type { HubConfig } from "../context.ts";
import { openLink, ownPrefix } from "../rooms/redis/redis.fixture.ts";
import { type ChatHub, startChatHub } from "./chat-hub.ts";
import { type DatabaseKind, emptyDatabase } from "./test-database.ts";

/** One hub as two servers, on one database and one Redis. */
export interface TwoServers extends AsyncDisposable {
  one: ChatHub;
  two: ChatHub;
  /** Another server of the same hub, which is not closed with them. */
  startOne(): Promise<ChatHub>;
  close(): Promise<void>;
}

export async function startTwoServers(
  kind: DatabaseKind,
  redisUrl: string | undefined = inject("services").redis,
  config: Partial<HubConfig> = {},
): Promise<TwoServers> {
  // A database that is emptied is the same to Redis as before.
  const database = { ...(await emptyDatabase(kind)), id: ownPrefix() };
  const startOne = async () =>
    startChatHub({ database, config, redis: await openLink({ url: redisUrl ?? "" }) });
  const [one, two] = [await startOne(), await startOne()];
  const close = async () => void (await Promise.all([one.close(), two.close()]));
  return { one, two, startOne, close, [Symbol.asyncDispose]: close };
}
