import type { Hub } from "../../context.ts";
import type { Db } from "../../db/database.ts";

/**
 * Closes a room to all but its owner, or opens it again (0062). A deleted room stays as it is.
 * @returns a function that ends the visits of others, after the commit
 */
export async function setClosed(tx: Db, { rooms }: Hub, roomId: number, isClosed: boolean) {
  const room = await tx
    .updateTable("chat_rooms")
    .set({ is_closed: isClosed })
    .where("id", "=", roomId)
    .returning(["soul_id", "token_hash"])
    .executeTakeFirst();
  return room && (() => rooms.recheck(`${room.soul_id}/${room.token_hash}`));
}
