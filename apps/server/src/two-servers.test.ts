import {
  createActor,
  digestOf,
  eventually,
  freePort,
  keepLog,
  type LogKeeper,
  type ServerProcess,
  startOpenAiServer,
} from "@soul-hub/api/testing";
import { describe, expect, inject, it } from "vitest";
import { openAccount, publishSoul } from "./testing/open-account.fixture.ts";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";
import { callRepeatedly, startHaproxy } from "./testing/two-servers.fixture.ts";

const { postgres, redis, haproxy } = inject("services");

const CLIENTS = 30;
const STREAMS = 3;

/** The setup of examples/two-servers, without containers. */
describe.skipIf(!(postgres && redis && haproxy))("two servers behind HAProxy", () => {
  it("are replaced one after the other, and no client loses a message", async () => {
    await using place = await makePlace("postgresql");
    await using model = await startOpenAiServer({ reply: () => "So it is." });
    const ports = [await freePort(), await freePort()];
    await using proxy = await startHaproxy(ports);
    const start = (n: number) =>
      startServerProcess({
        ...place.env,
        PORT: String(ports[n]),
        BASE_URL: proxy.url,
        REDIS_URL: redis ?? "",
        TRUST_PROXY: "127.0.0.1",
        TEXT_MODEL: "openai-compatible:test",
        OPENAI_COMPATIBLE_BASE_URL: model.url,
      });
    await proxy.missesAServer();
    const servers = await Promise.all([start(0), start(1)]);
    try {
      const hub: Pick<ServerProcess, "actor"> = {
        actor: (options) => createActor({ ...options, baseUrl: () => proxy.url }),
      };
      // Clients that connected earlier would all be on the same server.
      await proxy.usesAllServers();
      const ada = await openAccount(hub, await place.adminToken(), "ada", "pro");
      const room = { soul_id: await publishSoul(ada), session_token: "hall" };

      const clients: LogKeeper[] = Array.from({ length: CLIENTS }, (_, n) =>
        keepLog({
          userAgent: `client ${n}`,
          url: () => proxy.url,
          room,
          overSse: n < STREAMS,
          isAskedToReconnect: true,
        }),
      );
      const allPresent = () =>
        eventually(() => {
          for (const { online } of clients) expect(online).toBe(CLIENTS + 1);
        });
      const address = `/api/chat-sync?soul_id=${room.soul_id}&session_token=hall&last_id=0`;
      const polling = callRepeatedly(() => ada.get(address));
      await allPresent();
      const chatting = callRepeatedly(() =>
        ada.post("/api/chat", { ...room, content: "Is it dark?" }),
      );
      const syncs = () => clients.map((client) => client.syncs);

      for (const n of [0, 1]) {
        const before = chatting.answers;
        const synced = syncs();
        const asked = performance.now();
        expect(await servers[n]?.stop()).toBe(0);
        // A server drains within 10 s (0016).
        expect(performance.now() - asked).toBeLessThan(10_000);
        expect(syncs()).not.toEqual(synced);
        await eventually(() => expect(chatting.answers).toBeGreaterThan(before + 5));
        await proxy.missesAServer();
        servers[n] = await start(n);
        await proxy.usesAllServers();
      }
      await chatting.end();
      await polling.end();
      expect([...chatting.refused, ...polling.refused]).toEqual([]);

      const { db, close } = await place.open();
      const log = await db
        .selectFrom("chat_messages")
        .select(["id", "content"])
        .orderBy("id")
        .execute();
      await close();
      expect(log).toHaveLength(2 * chatting.answers);
      const ids = log.map(({ id }) => id);
      const digest = log.reduce((so, { content }) => digestOf(so, content), 0);
      for (const client of clients) {
        await eventually(() => expect(client.ids.length).toBe(ids.length));
        // The test does not check whether clients left the room. A client leaves if it reconnects
        // after the grace period of 3 s, which depends on the machine's speed.
        expect([client.faults, client.restarts]).toEqual([[], 0]);
        expect(client.ids).toEqual(ids);
        expect(client.digest).toBe(digest);
        client.vanish();
      }
    } finally {
      await Promise.all(servers.map((server) => server.kill()));
    }
  }, 120_000);
});
