import { sql } from "kysely";
import type { CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { violatedConstraint } from "../db/violated-constraint.ts";
import { HubError } from "../errors.ts";
import { type QuotaHold, settleQuota } from "../quota/quota-hold.service.ts";
import type { RoomMessage } from "../rooms/room-events.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "./room-key.ts";

interface NewLine {
  role: RoomMessage["role"];
  /** Participant id, or `soul`. */
  sender: string;
  sender_name: string;
  content: string;
}

/**
 * Writes the question and its reply together, and settles the units they cost (decisions §5).
 * @throws HubError `private_session` when the room was turned private meanwhile, `soul_not_found`
 *   when the soul was deleted meanwhile
 */
export async function storeExchange(
  ctx: CallContext,
  name: RoomName,
  lines: readonly NewLine[],
  hold: QuotaHold,
): Promise<RoomMessage[]> {
  const asker = lines[0]?.sender ?? "";
  return ctx.db
    .transaction()
    .execute(async (tx) => {
      const room = await lockRoom(ctx, tx, name, asker);
      if (room.is_private && room.owner !== asker) throw new HubError("private_session");
      const messages: RoomMessage[] = [];
      let head = room.head_id;
      for (const line of lines) {
        // The id is taken under the room's lock: ids of a room are in commit order.
        const { id } = await tx
          .insertInto("chat_messages")
          .values({ ...line, room_id: room.id, prev_id: head })
          .returning("id")
          .executeTakeFirstOrThrow();
        const { sender: _, ...shown } = line;
        messages.push({ ...shown, id, prev_id: head });
        head = id;
      }
      await tx
        .updateTable("chat_rooms")
        .set({ head_id: head, updated_at: sql<string>`hub_now()` })
        .where("id", "=", room.id)
        .execute();
      await settleQuota(tx, hold);
      return messages;
    })
    .catch((error: unknown) => {
      if (violatedConstraint(error) === "chat_rooms_soul_id_foreign") {
        throw new HubError("soul_not_found", { cause: error });
      }
      throw error;
    });
}

/**
 * Makes a room private for good, from the acceptance of its owner's message on (decisions §5).
 * A room that nobody has written in yet becomes the caller's.
 * @throws HubError `private_session` when it is somebody else's
 */
export async function makePrivate(ctx: CallContext, name: RoomName, asker: string): Promise<void> {
  const wasPublic = await ctx.db.transaction().execute(async (tx) => {
    const room = await lockRoom(ctx, tx, name, asker);
    if (room.owner !== asker) throw new HubError("private_session");
    if (room.is_private) return false;
    await tx
      .updateTable("chat_rooms")
      .set({ is_private: true })
      .where("id", "=", room.id)
      .execute();
    return true;
  });
  // Also where nobody had written yet: there may be listeners.
  if (wasPublic) ctx.hub.rooms.recheck(roomKey(name));
}

/** The room's row, made if there is none, locked: whoever writes in a room stands in line here. */
async function lockRoom({ hub }: CallContext, tx: Db, name: RoomName, owner: string) {
  const { soulId, tokenHash } = splitRoomKey(roomKey(name));
  const find = () =>
    tx
      .selectFrom("chat_rooms")
      .select(["id", "owner", "is_private", "head_id"])
      .where("soul_id", "=", soulId)
      .where("token_hash", "=", tokenHash)
      .forUpdate()
      .executeTakeFirst();
  const found = await find();
  if (found) return found;
  await tx
    .insertInto("chat_rooms")
    .values({
      soul_id: soulId,
      token_hash: tokenHash,
      token_sealed: sealSessionToken(hub.vault, name),
      owner,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const made = await find();
  if (!made) throw new HubError("soul_not_found");
  return made;
}
