import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { replaceSweptHold } from "../../quota/quota-hold.service.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  say,
  startChatHub,
  sync,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { roomKey, splitRoomKey } from "../rows/room-key.ts";

/**
 * A poll runs no query if there is no new message. It fails at once if the room was closed to the
 * caller (0016).
 */
describe("polling without news", () => {
  let hub: ChatHub;
  let vera: Actor;
  let guest: Actor;
  let room: RoomName;
  const poll = (caller: Actor) => sync(caller, room);

  beforeEach(async () => {
    await hub?.close();
    hub = await startChatHub();
    vera = await hub.vip("vera");
    guest = hub.guest();
    room = await openRoom(vera);
    await say(vera, room, "Good evening.");
    // The first poll makes this server subscribe to the room.
    await poll(guest);
    await eventually(() => expect(hub.hub.rooms.counts().subscriptions).toBe(1));
    await poll(guest);
  });
  afterAll(() => hub.close());

  /**
   * Makes the soul private in the table without notifying the hub. A call that reads the table then
   * fails.
   */
  const hideSoul = () =>
    hub.hub.database.db
      .updateTable("souls")
      .set({ is_public: 0 })
      .where("id", "=", room.soul_id)
      .execute();
  const head = async () => (await sync(vera, room)).body.head as number;

  it("reads no table, not even for newcomers", async () => {
    const last_id = await head();
    await hideSoul();
    for (const caller of [guest, hub.guest(), vera]) {
      const { status, body } = await sync(caller, room, { last_id });
      expect([status, body.head, body.new_messages]).toEqual([200, last_id, []]);
    }
    const you = { name: "vera", kind: "member", is_owner: true };
    expect((await sync(vera, room, { last_id })).body.you).toEqual(you);
    hub.hub.rooms.recheckAll({ roomPrefixes: [`${room.soul_id}/`] });
    expect((await sync(guest, room, { last_id })).status).toBe(404);
  });

  it("returns new messages in the next answer", async () => {
    const last_id = await head();
    await say(vera, room, "Is anybody there?");
    const { body } = await sync(guest, room, { last_id });
    expect(body.new_messages).toHaveLength(2);
    expect(body.head).toBe(body.new_messages[1].id);
  });

  it("recovers a last_id that this server has not received yet", async () => {
    const { soulId, tokenHash } = splitRoomKey(roomKey(room));
    // Stores messages like another server, but without the notification over the bus.
    const { db } = hub.hub.database;
    await replaceSweptHold(db, { id: 0 }, 60);
    const { rows } = await sql<{ reply_id: number }>`
      select reply_id from store_exchange(${soulId}, ${tokenHash}, 'guest:another', 'Another',
        'Is it dark?', 'Vera', 'It is.', 0)`.execute(db);
    const last_id = rows[0]?.reply_id ?? 0;
    const { body } = await sync(guest, room, { last_id });
    expect([body.recovered, body.head, body.new_messages]).toEqual([true, last_id, []]);
  });

  it.each([
    ["its soul is hidden", 404, () => vera.put(`/api/soul/${room.soul_id}`, { is_public: 0 })],
    [
      "its soul gets an NFT gate",
      403,
      () => vera.put(`/api/soul/${room.soul_id}`, { nft_contract: "keys.near" }),
    ],
    ["its soul is deleted", 404, () => vera.delete(`/api/soul/${room.soul_id}`)],
    ["it is made private", 403, () => say(vera, room, "Just us.", { is_private: true })],
  ])("is refused at once when %s", async (_, refused, close) => {
    expect((await close()).status).toBe(200);
    expect((await poll(guest)).status).toBe(refused);
  });

  it("does not cache an answer that was read before the room was closed", async () => {
    hub.hub.rooms.recheckAll({ roomPrefixes: [`${room.soul_id}/`] });
    const read = hub.hub.souls.byId;
    hub.hub.souls.byId = async (id) => {
      const soul = await read(id);
      await vera.put(`/api/soul/${room.soul_id}`, { is_public: 0 });
      return soul;
    };
    expect((await poll(guest)).status).toBe(200);
    hub.hub.souls.byId = read;
    expect((await poll(guest)).status).toBe(404);
  });
});
