import {
  type Actor,
  createActor,
  digestOf,
  eventually,
  keepLog,
  type LogKeeper,
  type ServerProcess,
} from "@soul-hub/api/testing";
import { expect, onTestFinished } from "vitest";
import { publishSoul } from "../testing/open-account.fixture.ts";

/** The variables of a server that shares its rooms with another one behind a load balancer. */
export const behindProxy = (proxy: { url: string }, redisUrl: string, modelUrl: string) => ({
  BASE_URL: proxy.url,
  REDIS_URL: redisUrl,
  TRUST_PROXY: "127.0.0.1",
  TEXT_MODEL: "openai-compatible:test",
  OPENAI_COMPATIBLE_BASE_URL: modelUrl,
});

/** Returns the hub at an address, whatever server answers there. */
export const hubAt = (url: string): Pick<ServerProcess, "actor"> => ({
  actor: (options) => createActor({ ...options, baseUrl: () => url }),
});

/** Keeps a log until the test ends. The client of a failed test would disturb the tests after it. */
export function keepLogDuringTest(options: Parameters<typeof keepLog>[0]): LogKeeper {
  const keeper = keepLog(options);
  onTestFinished(() => keeper.vanish());
  return keeper;
}

/**
 * Opens a room in which clients keep the log until the test ends. A load balancer moves them between
 * servers.
 * @param streams the number of clients that use SSE instead of a WebSocket
 */
export async function openHall(
  owner: Actor,
  { url, clients, streams }: { url: string; clients: number; streams: number },
) {
  const room = { soul_id: await publishSoul(owner), session_token: "hall" };
  const keepers = Array.from({ length: clients }, (_, n) =>
    keepLogDuringTest({
      userAgent: `client ${n}`,
      url: () => url,
      room,
      overSse: n < streams,
      isAskedToReconnect: true,
    }),
  );
  const syncPath = `/api/chat-sync?soul_id=${room.soul_id}&session_token=hall&last_id=0`;
  return { room, keepers, syncPath };
}

/**
 * Waits until clients have the whole log of their room, and checks that each got every message once
 * and in order.
 */
export async function expectWholeLogs(
  clients: readonly LogKeeper[],
  log: readonly { id: number; content: string }[],
): Promise<void> {
  const ids = log.map(({ id }) => id);
  const digest = log.reduce((so, { content }) => digestOf(so, content), 0);
  for (const client of clients) {
    await eventually(() => expect([client.faults, client.ids.length]).toEqual([[], ids.length]));
    expect(client.restarts).toBe(0);
    expect(client.ids).toEqual(ids);
    expect(client.digest).toBe(digest);
  }
}
