import type { Actor } from "../../testing/actor.ts";
import type { TestHub } from "../../testing/test-hub.ts";
import { type RoomName, roomKey, splitRoomKey } from "../rows/room-key.ts";

/** Reads the row of a room that has messages. */
export async function roomRow({ hub }: TestHub, room: RoomName) {
  const { soulId, tokenHash } = splitRoomKey(roomKey(room));
  return hub.database.db
    .selectFrom("chat_rooms")
    .selectAll()
    .where("soul_id", "=", soulId)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirstOrThrow();
}

/** Reads the messages of a room as the table holds them, oldest first. */
export async function roomRows(hub: TestHub, room: RoomName) {
  const { id } = await roomRow(hub, room);
  return hub.hub.database.db
    .selectFrom("chat_messages")
    .selectAll()
    .where("room_id", "=", id)
    .orderBy("id")
    .execute();
}

/** Makes the room's path end at a message. Null: at the newest one. */
export const switchTo = (owner: Actor, room: RoomName, active_id: number | null) =>
  owner.put("/api/room", { ...room, active_id });
