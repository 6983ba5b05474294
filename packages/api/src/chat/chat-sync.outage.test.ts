import { describe, expect, inject, it } from "vitest";
import { openRoom, say, sync } from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { startRedis } from "../testing/own-redis.ts";
import { startTwoServers } from "../testing/two-servers.ts";

/** Docs/decisions/0016: nobody hears that a room was shut elsewhere. */
describe.runIf(inject("services").postgres && inject("services").redis)(
  "polling while the bus is down",
  () => {
    it("is refused what was made private on another server", { timeout: 60_000 }, async () => {
      await using redis = await startRedis();
      await using servers = await startTwoServers("postgresql", redis.url);
      const { one, two } = servers;
      const vera = await one.vip("vera");
      const room = await openRoom(vera);
      await say(vera, room, "Hello.");
      const guest = two.guest();
      await sync(guest, room);
      await eventually(() => expect(two.hub.rooms.counts().subscriptions).toBe(1));
      const last_id = (await sync(guest, room)).body.head;
      // Its answer stands (docs/decisions/0021).
      for (let n = 0; n < 2; n++) await sync(guest, room, { last_id });
      await redis.kill();
      await eventually(() => expect(two.hub.bus()).toBe("down"));
      expect((await say(vera, room, "Just us.", { is_private: true })).status).toBe(200);
      expect((await sync(guest, room, { last_id })).status).toBe(403);
      expect((await sync(guest, room)).status).toBe(403);
    });
  },
);
