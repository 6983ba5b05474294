import type { CallContext } from "../../context.ts";
import { violatedConstraint } from "../../db/database-errors.ts";
import { callFunction } from "../../db/sql-functions.ts";
import { HubError } from "../../errors.ts";
import { type QuotaHold, replaceSweptHold } from "../../quota/quota-hold.service.ts";
import type { Participant } from "../../rooms/presence/presence-store.ts";
import type { RoomMessage } from "../../rooms/room-events.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "../access/room-key.ts";
import { retryStore, STORING_SECONDS } from "./retry-store.ts";

/** A question and its reply. */
interface Exchange {
  asker: Participant;
  question: string;
  soulTitle: string;
  reply: string;
  /** True if the room had no messages when the question was accepted. */
  isFirst: boolean;
}

export interface StoredExchange {
  roomId: number;
  messages: [question: RoomMessage, reply: RoomMessage];
  /** Number of the room's messages that its summary does not cover. Counting stops at 50. */
  unsummarised: number;
}

/**
 * Stores a question with its reply and settles their quota hold, in one transaction (decisions §5,
 * Storage; docs/decisions/0023). The sender of a room's first message becomes its owner.
 * @throws HubError `private_session` if the room was made private meanwhile
 * @throws HubError `soul_not_found` if the soul was deleted meanwhile
 * @throws HubError `overloaded` if the database was unreachable for 25 s
 */
export async function storeExchange(
  ctx: CallContext,
  name: RoomName,
  exchange: Exchange,
  hold: QuotaHold,
): Promise<StoredExchange> {
  const written = await retryStore(ctx, async () => {
    const attempt = await writeExchange(ctx, name, exchange, hold);
    const isHoldGone = attempt.is_open && attempt.question_id === null;
    if (!isHoldGone) return attempt;
    // Only the sweeper can have deleted the quota hold, because a refund happens only after storing
    // has ended.
    await replaceSweptHold(ctx.db, hold, STORING_SECONDS);
    return writeExchange(ctx, name, exchange, hold);
  });
  if (written.room_id === null) throw new HubError("soul_not_found");
  if (!written.is_open) throw new HubError("private_session");
  const {
    room_id: roomId,
    former_head: prev_id,
    question_id: id,
    reply_id,
    unsummarised,
  } = written;
  if (id === null) throw new Error("The quota hold was swept twice while its reply was stored.");
  const { asker, question, soulTitle, reply } = exchange;
  const sent = { role: "user", sender_name: asker.name, content: question } as const;
  const answered = { role: "assistant", sender_name: soulTitle, content: reply } as const;
  const messages: StoredExchange["messages"] = [
    { id, prev_id, ...sent },
    { id: reply_id, prev_id: id, ...answered },
  ];
  return { roomId, messages, unsummarised };
}

async function writeExchange(
  { hub, db }: CallContext,
  name: RoomName,
  { asker, question, soulTitle, reply, isFirst }: Exchange,
  hold: QuotaHold,
): Promise<Written> {
  const { soulId, tokenHash } = splitRoomKey(roomKey(name));
  const room = { of_soul: soulId, of_token_hash: tokenHash };
  const exchange = {
    asker: asker.id,
    asker_name: asker.name,
    question,
    replier_name: soulTitle,
    reply,
    hold: hold.id,
  };
  if (!isFirst) {
    const [written] = await callFunction<Written>(db, "store_exchange", { ...room, ...exchange });
    if (written?.room_id) return written;
  }
  // `store_first_exchange` also creates the room. `store_exchange` stores nothing if the room does
  // not exist.
  const of_token_sealed = sealSessionToken(hub.vault, name);
  const args = { ...room, of_token_sealed, ...exchange };
  const [written] = await callFunction<Written>(db, "store_first_exchange", args).catch(
    throwSoulNotFound,
  );
  if (!written) throw new Error("store_first_exchange returned no row.");
  return written;
}

/** A row that the database functions `store_exchange` and `store_first_exchange` return. */
interface Written {
  /** Null if the room does not exist. */
  room_id: number | null;
  is_open: boolean;
  former_head: number;
  /**
   * Id of the stored question. Null if nothing was stored, because the sender may not enter the
   * room or the quota hold no longer exists.
   */
  question_id: number | null;
  reply_id: number;
  unsummarised: number;
}

/**
 * Makes a room private permanently, from the moment its owner's message is accepted (decisions §5,
 * Rooms and privacy). A room without messages is created for the caller.
 * @throws HubError `private_session` if another participant owns it, `soul_not_found` if the soul
 *   was deleted meanwhile
 */
export async function makePrivate(
  { hub, db }: CallContext,
  name: RoomName,
  owner: string,
): Promise<void> {
  const { soulId: soul_id, tokenHash: token_hash } = splitRoomKey(roomKey(name));
  const token_sealed = sealSessionToken(hub.vault, name);
  const owned = await db
    .insertInto("chat_rooms")
    .values({ soul_id, token_hash, token_sealed, owner, is_private: true })
    .onConflict((conflict) =>
      conflict
        .columns(["soul_id", "token_hash"])
        .doUpdateSet({ is_private: true })
        .where("chat_rooms.owner", "=", owner),
    )
    .returning("id")
    .executeTakeFirst()
    .catch(throwSoulNotFound);
  if (!owned) throw new HubError("private_session");
  // Checks the rights of the room's subscribers again. Even a room without messages can have
  // subscribers.
  hub.rooms.recheck(roomKey(name));
}

/** Translates the foreign key violation that a deleted soul causes into `soul_not_found`. */
function throwSoulNotFound(error: unknown): never {
  if (violatedConstraint(error) !== "chat_rooms_soul_id_foreign") throw error;
  throw new HubError("soul_not_found", { cause: error });
}
