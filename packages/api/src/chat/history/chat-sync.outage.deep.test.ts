import { describe, expect, inject, it } from "vitest";
import { sync } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { openOutageRoom } from "../../testing/two-servers.ts";

/** Without the bus, a server does not learn that a room was closed elsewhere (0016). */
describe.runIf(inject("services").postgres && inject("services").redis)(
  "polling while the bus is down",
  () => {
    it("is refused in a room that turned private on another server", {
      timeout: 60_000,
    }, async () => {
      await using outage = await openOutageRoom();
      const { two, room } = outage;
      const guest = two.guest();
      await sync(guest, room);
      await eventually(() => expect(two.hub.rooms.counts().subscriptions).toBe(1));
      const last_id = (await sync(guest, room)).body.head;
      await sync(guest, room, { last_id });
      await outage.makePrivateDuringOutage();
      expect((await sync(guest, room, { last_id })).status).toBe(403);
      expect((await sync(guest, room)).status).toBe(403);
    });
  },
);
