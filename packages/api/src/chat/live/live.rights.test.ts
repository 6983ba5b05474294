import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName, say, signedIn, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import {
  failureCode,
  type LiveSocket,
  openSocket,
  type Visitor,
} from "../../testing/live-visitor.ts";

/** Decisions §6: a lost right ends the subscription with an error; the socket stays open. */
describeRoom("the right to be in a room", { owner: "olga" }, (hub, owner, room) => {
  let ben: Actor;
  let otherRoom: RoomName;
  let socket: LiveSocket;
  let elsewhere: Visitor;
  let visitor: Visitor;

  beforeAll(async () => {
    ben = await hub.member("ben");
  });
  beforeEach(async () => {
    otherRoom = await openRoom(owner);
    socket = openSocket(hub, ben);
    visitor = socket.join(room);
    elsewhere = socket.join(otherRoom);
    await eventually(() => expect([visitor.types, elsewhere.types]).toEqual([["sync"], ["sync"]]));
    return () => socket.close();
  });

  const endsAloneBy = async (code: string) => {
    await eventually(() => expect(visitor.endedBy).toBe(code));
    expect([socket.connects, socket.isOpen, elsewhere.endedBy]).toEqual([1, true, undefined]);
    // The other subscription of the socket continues.
    await say(owner, otherRoom, "Still here.");
    await eventually(() => expect(elsewhere.ids).toHaveLength(2));
  };

  it("ends when the soul is made private", async () => {
    await owner.put(`/api/soul/${room.soul_id}`, { is_public: 0 });
    await endsAloneBy("soul_not_found");
  });

  it("ends when the soul is deleted", async () => {
    await owner.delete(`/api/soul/${room.soul_id}`);
    await endsAloneBy("soul_not_found");
  });

  it.each([
    ["without messages", 0],
    ["with messages", 1],
  ])(
    "ends when a room %s turns private, before the private question is shown",
    async (_, lines) => {
      for (let n = 0; n < lines; n++) await say(owner, room, "Come in.");
      await say(owner, room, "Between us.", { is_private: true });
      await endsAloneBy("private_session");
      expect(JSON.stringify(visitor.events)).not.toContain("Between us");
      expect((await sync(ben, room)).body.error).toBe("private_session");
    },
  );

  it("does not end when the soul is only edited", async () => {
    await owner.put(`/api/soul/${room.soul_id}`, { title: "Orla II" });
    await say(owner, room, "Still here.");
    await eventually(() => expect(visitor.ids).toHaveLength(2));
    expect(visitor.endedBy).toBeUndefined();
  });

  it("is refused at once, with the hub's error code", async () => {
    const secret = await openRoom(owner, { is_public: 0 });
    const refused = [socket.join(secret), socket.join({ ...secret, soul_id: 2 ** 53 - 1 })];
    for (const one of refused) {
      await eventually(() => expect(one.endedBy).toBe("soul_not_found"));
      expect(one.events).toEqual([]);
    }
    const wrong = socket.join({ ...room, session_token: "no/token" });
    await eventually(() => expect(wrong.endedBy).toBe("invalid_input"));
    expect(socket.isOpen).toBe(true);
  });

  it.each(["shk_nonsense", `shk_${"a".repeat(36)}`])(
    "is refused with the bad key %s, on every procedure",
    async (apiKey) => {
      await using bad = openSocket(hub, { apiKey, cookies: new Map() });
      const refused = bad.join(room);
      await eventually(() => expect(refused.endedBy).toBe("unauthenticated"));
      expect(await bad.client.rooms.sync.query(room).catch(failureCode)).toBe("unauthenticated");
      expect(await bad.client.souls.list.query({}).catch(failureCode)).toBe("unauthenticated");
    },
  );

  it("ends with the login session", async () => {
    const page = await signedIn(hub, `sue-${room.soul_id}`);
    await using browser = openSocket(hub, page);
    const sitting = browser.join(room);
    await eventually(() => expect(sitting.types).toContain("sync"));
    expect((await browser.client.accounts.me.query()).user.username).toBe(`sue-${room.soul_id}`);
    await sql`delete from sessions`.execute(hub.hub.database.db);
    hub.hub.rooms.recheckAll({ roomPrefixes: [`${room.soul_id}/`] });
    await eventually(() => expect(sitting.endedBy).toBe("unauthenticated"));
    expect(visitor.endedBy).toBeUndefined();
    expect(await browser.client.accounts.me.query().catch(failureCode)).toBe("unauthenticated");
  });
});
