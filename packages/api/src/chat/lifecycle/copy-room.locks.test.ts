import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Db } from "../../db/database.ts";
import { meanwhile } from "../../db/meanwhile.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  openRoom,
  type RoomName,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { roomRow } from "../tree/tree.fixture.ts";

/** The embedded database runs one transaction at a time, so no lock of another one can be held. */
describe.runIf(testDatabases().includes("postgresql"))("a call that waits for a lock", () => {
  let hub: ChatHub;
  let ada: Actor;
  let ben: Actor;
  let room: RoomName;
  let roomId: number;
  let db: Db;

  beforeAll(async () => {
    hub = await startChatHub({ database: "postgresql" });
    ({ db } = hub.hub.database);
    ada = await hub.vip("ada");
    ben = await hub.vip("ben");
  });
  afterAll(() => hub.close());
  beforeEach(async () => {
    room = await openRoom(ada);
    await say(ada, room, "Good evening.");
    ({ id: roomId } = await roomRow(hub, room));
  });

  const lockRoom = (tx: Db) =>
    sql`select from chat_rooms where id = ${roomId} for update`.execute(tx);
  const lockSoul = (tx: Db) =>
    sql`select from souls where id = ${room.soul_id} for update`.execute(tx);
  const deleteRoom = (tx: Db) => sql`delete from chat_rooms where id = ${roomId}`.execute(tx);
  const deleteSoul = (tx: Db) => sql`delete from souls where id = ${room.soul_id}`.execute(tx);
  const copy = (source: object) => () =>
    ben.post("/api/room-copy", { ...source, new_session_token: "copied" });
  const share = async () => {
    const { share_id } = (await ada.post("/api/shares", room)).body;
    return { share_id };
  };

  describe("POST /api/room-copy", () => {
    it("copies nothing of a room that is deleted, and does not keep it from being deleted", async () => {
      const change = { lock: lockRoom, change: deleteRoom };
      const answer = await meanwhile(db, copy(await share()), change);
      expect(failureOf(answer)).toEqual([404, "share_not_found"]);
      await expect(roomRow(hub, room)).rejects.toThrow("no result");
    });

    it("does not keep the soul of its room from being deleted", async () => {
      const answer = await meanwhile(db, copy(room), { lock: lockSoul, change: deleteSoul });
      expect(failureOf(answer)).toEqual([404, "soul_not_found"]);
    });

    it.each([
      [
        "turns private",
        "private_session",
        (tx: Db) => sql`update chat_rooms set is_private = true where id = ${roomId}`.execute(tx),
      ],
      [
        "bans the caller",
        "banned",
        (tx: Db) =>
          sql`insert into room_people (room_id, participant, name, restriction)
            select ${roomId}, 'account:' || id, username, 'banned' from accounts
            where username = 'ben'`.execute(tx),
      ],
    ])("is refused by a room that %s", async (_, code, change) => {
      const answer = await meanwhile(db, copy(room), { lock: lockRoom, change });
      expect(failureOf(answer)).toEqual([403, code]);
    });

    it("is refused if the soul is hidden", async () => {
      const hide = (tx: Db) =>
        sql`update souls set is_public = 0 where id = ${room.soul_id}`.execute(tx);
      for (const [source, code] of [
        [room, "soul_not_found"],
        [await share(), "share_not_found"],
      ] as const) {
        const answer = await meanwhile(db, copy(source), { lock: lockSoul, change: hide });
        expect(failureOf(answer)).toEqual([404, code]);
        await ada.put(`/api/soul/${room.soul_id}`, { is_public: 1 });
      }
    });

    it("is refused if the share is revoked", async () => {
      const { share_id } = await share();
      const revoke = (tx: Db) => sql`delete from room_shares where id = ${share_id}`.execute(tx);
      const answer = await meanwhile(db, copy({ share_id }), { lock: revoke });
      expect(failureOf(answer)).toEqual([404, "share_not_found"]);
    });
  });

  it("PUT /api/seen finds no message of a room that is being deleted", async () => {
    const { message_id: id } = (await say(ada, room, "Once more.")).body;
    const see = () => ben.put("/api/seen", { ...room, id });
    const answer = await meanwhile(db, see, { lock: deleteRoom });
    expect(failureOf(answer)).toEqual([404, "message_not_found"]);
  });
});
