import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { downloadArchive, importArchive } from "../../account-archive/archive.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { mcpClient } from "../../transport/mcp/mcp-client.fixture.ts";
import { createRoomSweep } from "../history/room-sweep.ts";

/** The address of a deleted room stays reserved for its former owner (0042). */
describeChat("the address of a deleted room", {}, (hub) => {
  let vera: Actor;
  let ben: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    ben = await hub.vip("ben");
    room = await openRoom(vera);
  });
  beforeEach(async () => {
    room = { ...room, session_token: `room-${++rooms}` };
  });

  const query = (more: object = {}) =>
    new URLSearchParams(
      Object.entries({ ...room, ...more }).map(([key, value]): [string, string] => [
        key,
        `${value}`,
      ]),
    );
  const remove = (owner = vera) => owner.delete(`/api/room?${query()}`);
  const GONE = [404, "room_not_found"];

  it("answers everybody else room_not_found, on every transport", async () => {
    const { question_id: id } = (await say(vera, room, "Good evening.")).body;
    await remove();
    const guest = hub.guest();
    for (const answer of [
      await history(ben, room),
      await sync(ben, room),
      await sync(guest, room, { wait: 5 }),
      await say(ben, room, "Mine now."),
      await say(ben, room, "Mine now.", { is_private: true }),
      await sayOnPage(guest, room, "Mine now."),
      await ben.post("/api/say", { ...room, content: "Mine now." }),
      await ben.put("/api/message", { ...room, id, content: "Mine now." }),
      await ben.delete(`/api/message?${query({ id })}`),
      await ben.put("/api/reaction", { ...room, id, emoji: "👍", on: true }),
      await ben.put("/api/seen", { ...room, id }),
      await ben.get(`/api/room?${query()}`),
      await ben.put("/api/room", { ...room, title: "Mine now." }),
      await ben.get(`/api/chat-export?${query({ format: "md" })}`),
      await ben.post("/api/shares", room),
      await ben.post("/api/room-copy", { ...room, new_session_token: "another" }),
      await ben.post("/api/reports", { ...room, kind: "room", reason: "spam" }),
      await ben.get(`/trpc/chat.history?input=${encodeURIComponent(JSON.stringify(room))}`),
      await remove(ben),
    ]) {
      expect(failureOf(answer)).toEqual(GONE);
    }
    await using visitor = joinAs(hub, ben, room);
    await eventually(() => expect(visitor.endedBy).toBe("room_not_found"));
    await using mcp = await mcpClient(hub, ben);
    expect(await mcp.refusal("read_room", room)).toBe("room_not_found");
    expect(await mcp.refusal("talk_to_soul", { ...room, message: "Mine now." })).toBe(
      "room_not_found",
    );
    expect((await ben.get("/api/my-chats")).text).not.toContain(room.session_token);
  });

  it("lets its former owner begin a room anew, which others may enter", async () => {
    await say(vera, room, "Good evening.");
    await remove();
    expect((await sync(vera, room)).body).toMatchObject({ head: 0, you: { is_owner: false } });
    expect(failureOf(await history(ben, room))).toEqual(GONE);
    expect((await say(vera, room, "Anew.")).status).toBe(200);
    expect((await say(ben, room, "There you are.")).status).toBe(200);
    await remove();
    expect(failureOf(await history(ben, room))).toEqual(GONE);
  });

  it("says nothing of a room whose soul the caller does not see", async () => {
    const own = await openRoom(vera);
    await say(vera, own, "Good evening.");
    await vera.delete(`/api/room?${query(own)}`);
    await vera.put(`/api/soul/${own.soul_id}`, { is_public: 0 });
    expect(failureOf(await history(ben, own))).toEqual([404, "soul_not_found"]);
    expect((await history(vera, own)).status).toBe(200);
  });

  it("belongs to the cookie of a guest, also after the retention of its room", async () => {
    const guest = hub.guest();
    await sayOnPage(guest, room, "Hello?");
    const { db } = hub.hub.database;
    await sql`update chat_rooms set updated_at = hub_now() - interval '40 days'
      where owner like 'guest:%'`.execute(db);
    const config = { retainRoomsDays: 0, retainGuestRoomsDays: 30 };
    await createRoomSweep({ db, rooms: hub.hub.rooms, config, takeTurn: async () => true })();
    for (const other of [vera, hub.guest()]) {
      expect(failureOf(await sync(other, room))).toEqual(GONE);
    }
    expect((await sync(guest, room)).body.head).toBe(0);
    expect((await sayOnPage(guest, room, "Hello again.")).status).toBe(200);
  });

  it("is no address for a copy of another, and a copy belongs to its copier", async () => {
    await say(vera, room, "Good evening.");
    const { session_token } = room;
    await remove();
    const source = { ...room, session_token: `source-${rooms}` };
    await say(vera, source, "Copy me.");
    const copy = (copier: Actor) =>
      copier.post("/api/room-copy", { ...source, new_session_token: session_token });
    expect(failureOf(await copy(ben))).toEqual(GONE);
    expect((await copy(vera)).status).toBe(200);
    expect((await history(vera, room)).body.messages[0]).toMatchObject({ content: "Copy me." });
    expect(failureOf(await history(ben, room))).toEqual([403, "private_session"]);
  });

  it("is no address for the archive of another, which gets a new one", async () => {
    await say(vera, room, "Good evening.");
    await say(ben, room, "I was here.");
    const archive = await downloadArchive(hub, ben, "?include=chats");
    await remove();
    const { status, body } = await importArchive(ben, archive);
    expect([status, body.rooms?.created]).toEqual([200, 1]);
    const [imported] = (await ben.get("/api/my-chats")).body.sessions;
    expect(imported.session_token).not.toBe(room.session_token);
    expect(failureOf(await history(ben, room))).toEqual(GONE);
  });
});
