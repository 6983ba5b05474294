import { eventually, freePort, startOpenAiServer } from "@soul-hub/api/testing";
import { describe, expect, inject, it } from "vitest";
import { openAccount } from "../testing/open-account.fixture.ts";
import { makePlace } from "../testing/server-place.fixture.ts";
import { startServerProcess } from "../testing/server-process.fixture.ts";
import { behindProxy, expectWholeLogs, hubAt, openHall } from "./hall.fixture.ts";
import { callRepeatedly, startHaproxy } from "./two-servers.fixture.ts";

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
    const env = { ...place.env, ...behindProxy(proxy, redis ?? "", model.url) };
    const start = (n: number) => startServerProcess({ ...env, PORT: String(ports[n]) });
    await proxy.missesAServer();
    const servers = await Promise.all([start(0), start(1)]);
    try {
      // Clients that connected earlier would all be on the same server.
      await proxy.usesAllServers();
      const ada = await openAccount(hubAt(proxy.url), await place.adminToken(), "ada", "pro");
      const hall = { url: proxy.url, clients: CLIENTS, streams: STREAMS };
      const { room, keepers, syncPath } = await openHall(ada, hall);
      const polling = callRepeatedly(() => ada.get(syncPath));
      await eventually(() => {
        for (const { online } of keepers) expect(online).toBe(CLIENTS + 1);
      });
      const chatting = callRepeatedly(() =>
        ada.post("/api/chat", { ...room, content: "Is it dark?" }),
      );
      const syncs = () => keepers.map((keeper) => keeper.syncs);

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
      // The test does not check whether clients left the room. A client leaves if it reconnects
      // after the grace period of 3 s, which depends on the machine's speed.
      await expectWholeLogs(keepers, log);
    } finally {
      await Promise.all(servers.map((server) => server.kill()));
    }
  }, 120_000);
});
