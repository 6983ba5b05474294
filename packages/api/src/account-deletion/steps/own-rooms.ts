import { sql } from "kysely";
import { DELETED } from "../../chat/chat-message.entity.ts";
import { publishRevision } from "../../chat/rows/revision-step.ts";
import { type DeletionStep, DONE } from "../due-account.ts";
import { dropRooms } from "./drop-rooms.ts";

/** Deletes the account's private rooms. */
export const dropPrivateRooms: DeletionStep = (tx, { id }, hub) =>
  dropRooms(tx, hub, sql`owner = ${`account:${id}`} and is_private`);

/**
 * Gives up the next public room of the account. Others go on in it. It cannot become private, since
 * it has no owner. Its invites and shares end, because only an owner could revoke them.
 */
export const leavePublicRooms: DeletionStep = async (tx, { id, messages }, { rooms }) => {
  const room = await tx
    .updateTable("chat_rooms")
    .set({
      owner: `${DELETED}${id}`,
      revision: sql<number>`revision + 1`,
      // A title is a text of its owner.
      ...(messages === "erase" && { title: null }),
    })
    .where("id", "=", (eb) =>
      eb.selectFrom("chat_rooms").select("id").where("owner", "=", `account:${id}`).limit(1),
    )
    .returning(["id", "revision", sql<string>`soul_id || '/' || token_hash`.as("key")])
    .executeTakeFirst();
  if (!room) return DONE;
  await tx.deleteFrom("room_invites").where("room_id", "=", room.id).execute();
  await tx.deleteFrom("room_shares").where("room_id", "=", room.id).execute();
  return {
    hasMore: true,
    announce: () => {
      publishRevision(rooms, room);
      rooms.recheck(room.key);
    },
  };
};
