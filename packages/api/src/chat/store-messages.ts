import { sql } from "kysely";
import type { CallContext, Hub } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { violatedConstraint } from "../db/violated-constraint.ts";
import { HubError } from "../errors.ts";
import { type QuotaHold, replaceSweptHold } from "../quota/quota-hold.service.ts";
import type { Participant } from "../rooms/presence-store.ts";
import type { RoomMessage } from "../rooms/room-events.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "./room-key.ts";
import { STORING_SECONDS, untilStored } from "./until-stored.ts";

/** What somebody asked and the soul said. */
interface Exchange {
  asker: Participant;
  question: string;
  soulTitle: string;
  reply: string;
  /** Nobody had written in the room when it was entered. */
  isFirst: boolean;
}

/** What became of them. */
export interface StoredExchange {
  roomId: number;
  messages: [question: RoomMessage, reply: RoomMessage];
  /** Lines of the room that its summary does not cover, as far as they are counted (50). */
  unsummarised: number;
}

/**
 * Writes the question and its reply together, and settles the units they cost (decisions §5). A room
 * that nobody has written in yet becomes the asker's.
 * @throws HubError `private_session` when the room was turned private meanwhile, `soul_not_found`
 *   when the soul was deleted meanwhile
 */
export async function storeExchange(
  ctx: CallContext,
  name: RoomName,
  exchange: Exchange,
  hold: QuotaHold,
): Promise<StoredExchange> {
  const written = await untilStored(ctx, async () => {
    const attempt = await writeExchange(ctx, name, exchange, hold);
    if (!isHoldGone(attempt)) return attempt;
    // Not given back, or nobody would be storing: it was swept.
    await replaceSweptHold(ctx.db, hold, STORING_SECONDS);
    return writeExchange(ctx, name, exchange, hold);
  });
  if (written.room_id === null) throw new HubError("soul_not_found");
  if (!written.is_open) throw new HubError("private_session");
  const { room_id: roomId, former_head, question_id, reply_id, unsummarised } = written;
  if (question_id === null) throw new Error("A hold was swept twice while its reply was stored.");
  const { asker, question, soulTitle, reply } = exchange;
  const messages: StoredExchange["messages"] = [
    {
      id: question_id,
      prev_id: former_head,
      role: "user",
      sender_name: asker.name,
      content: question,
    },
    {
      id: reply_id,
      prev_id: question_id,
      role: "assistant",
      sender_name: soulTitle,
      content: reply,
    },
  ];
  return { roomId, messages, unsummarised };
}

async function writeExchange(
  ctx: CallContext,
  name: RoomName,
  exchange: Exchange,
  hold: QuotaHold,
): Promise<Written> {
  if (exchange.isFirst) return writeFirst(ctx, name, exchange, hold);
  const inRoom = await write(ctx.db, name, exchange, hold);
  return inRoom.room_id === null ? writeFirst(ctx, name, exchange, hold) : inRoom;
}

/** Together with the room: when one fails there is neither. */
async function writeFirst(
  { hub, db }: CallContext,
  name: RoomName,
  { asker, question, soulTitle, reply }: Exchange,
  hold: QuotaHold,
): Promise<Written> {
  const { soulId, tokenHash } = splitRoomKey(roomKey(name));
  const sealed = sealSessionToken(hub.vault, name);
  const query = sql<Written>`
    select * from store_first_exchange(${soulId}, ${tokenHash}, ${sealed}, ${asker.id}, ${asker.name},
      ${question}, ${soulTitle}, ${reply}, ${hold.id})`;
  const { rows } = await query.execute(db).catch((error: unknown) => {
    if (violatedConstraint(error) !== "chat_rooms_soul_id_foreign") throw error;
    throw new HubError("soul_not_found", { cause: error });
  });
  return firstOf(rows);
}

interface Written {
  /** Null: there is no such room. */
  room_id: number | null;
  is_open: boolean;
  former_head: number;
  /** Null: nothing was written. Where the room is open, the hold was gone. */
  question_id: number | null;
  reply_id: number;
  unsummarised: number;
}

const isHoldGone = ({ is_open, question_id }: Written) => is_open && question_id === null;

/** Under the room's lock, in one function of the database (db/migrations/0023). */
async function write(
  db: Db,
  name: RoomName,
  exchange: Exchange,
  hold: QuotaHold,
): Promise<Written> {
  const { soulId, tokenHash } = splitRoomKey(roomKey(name));
  const { asker, question, soulTitle, reply } = exchange;
  const { rows } = await sql<Written>`
    select * from store_exchange(${soulId}, ${tokenHash}, ${asker.id}, ${asker.name}, ${question},
      ${soulTitle}, ${reply}, ${hold.id})`.execute(db);
  return firstOf(rows);
}

function firstOf([written]: Written[]): Written {
  if (!written) throw new Error("The database did not say what it wrote.");
  return written;
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
      .select(["id", "owner", "is_private"])
      .where("soul_id", "=", soulId)
      .where("token_hash", "=", tokenHash)
      .forUpdate()
      .executeTakeFirst();
  const found = await find();
  if (found) return found;
  await makeRoom(hub, tx, name, owner);
  const made = await find();
  if (!made) throw new HubError("soul_not_found");
  return made;
}

/** Does nothing where somebody else has just made it. */
async function makeRoom(hub: Hub, db: Db, name: RoomName, owner: string): Promise<void> {
  const { soulId, tokenHash } = splitRoomKey(roomKey(name));
  await db
    .insertInto("chat_rooms")
    .values({
      soul_id: soulId,
      token_hash: tokenHash,
      token_sealed: sealSessionToken(hub.vault, name),
      owner,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
