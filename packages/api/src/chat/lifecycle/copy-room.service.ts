import { sql } from "kysely";
import { type AccountContext, participantId } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { callForRow } from "../../db/sql-functions.ts";
import { HubError, invalidField } from "../../errors.ts";
import { assertVisible } from "../../souls/soul-access.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import { participantOf } from "../access/room-participant.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";
import { roomKey, sealSessionToken, splitRoomKey } from "../rows/room-key.ts";
import { findShare } from "../sharing/read-share.service.ts";
import { lockShare, sharedEnd } from "../sharing/shared-path.ts";
import { throwSoulNotFound } from "../storing/soul-not-found.ts";
import { refusedBy } from "../storing/store-messages.ts";

/** Maximum number of copied messages (0042). */
const MAX_COPIED = 500;

interface CopyQuestion {
  share_id?: string | undefined;
  soul_id?: number | undefined;
  session_token?: string | undefined;
  /** Id of the last copied message; the end of the room's path if omitted. */
  to_id?: number | undefined;
  /** The session token of the new room. */
  new_session_token: string;
}

/** The conversation that is copied. */
interface Source {
  roomId: number;
  soulId: number;
  withNames: boolean;
  /**
   * Locks the soul and the room, checks again whether the caller may read it, and returns the last
   * message of the copied path.
   */
  lock: (tx: Db) => Promise<number>;
}

/**
 * Copies a conversation into a new private room of the caller's, with the same souls: POST
 * /api/room-copy (0042).
 * @throws HubError `invalid_input` unless either a share or a room is named; `share_not_found`;
 *   those of authorizeRoom; those of sharedEnd; `message_not_found` if no message is left to copy;
 *   `room_changed` if the new room exists already; `room_not_found` if its address is reserved
 */
export async function copyRoom(ctx: AccountContext, question: CopyQuestion) {
  const { db, hub } = ctx;
  const source = await findSource(ctx, question);
  const name = { soul_id: source.soulId, session_token: question.new_session_token };
  const key = roomKey(name);
  const copier = participantOf(ctx);
  const known = await hub.chatRooms(key, copier.id);
  if (known?.restriction === "room_not_found") throw new HubError("room_not_found");
  const copied = await db
    .transaction()
    .execute(async (tx) => {
      // Souls are locked before rooms, as by set_room: none of them is withdrawn meanwhile.
      const guests = await lockGuests(tx, source);
      const leaf = await source.lock(tx);
      const made = await callForRow<Copied>(tx, "copy_conversation", {
        of_room: source.roomId,
        leaf,
        of_soul: source.soulId,
        of_token_hash: splitRoomKey(key).tokenHash,
        of_token_sealed: sealSessionToken(hub.vault, name),
        copier: copier.id,
        copier_name: copier.name,
        with_names: source.withNames,
        guests,
        at_most: MAX_COPIED,
      });
      if (made.room_id === null) throw new HubError("room_changed", { message: TAKEN });
      if (made.copied === 0) throw new HubError("message_not_found", { message: EMPTY });
      return made.copied;
    })
    .catch(throwSoulNotFound);
  // Other participants may listen to the room that was empty until now.
  hub.rooms.forgetLog(key);
  return { message: "The conversation is copied.", soul_id: source.soulId, copied };
}

interface Copied {
  room_id: number | null;
  copied: number;
}

/**
 * Returns the room's other souls that everybody may use (0041). Locks them with the room's own soul in
 * the order of their ids, as all who lock several souls.
 */
async function lockGuests(tx: Db, { roomId, soulId }: Source): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from souls where id = ${soulId} or (is_public = 1 and nft_contract is null
      and id = any(array(select (chosen ->> 'soul_id')::bigint
        from chat_rooms, jsonb_array_elements(chat_rooms.souls) as chosen where chat_rooms.id = ${roomId})))
      order by id for share`.execute(tx);
  return rows.map(({ id }) => id).filter((id) => id !== soulId);
}

async function findSource(ctx: AccountContext, question: CopyQuestion): Promise<Source> {
  const { share_id, soul_id, session_token, to_id } = question;
  if (share_id !== undefined && soul_id === undefined && session_token === undefined) {
    if (to_id !== undefined) throw invalidField("to_id", "is that of the share");
    const share = await findShare(ctx.db, share_id);
    const { room_id: roomId, soul_id: soulId, with_names: withNames } = share;
    const lock = async (tx: Db) => {
      await lockSoul(tx, soulId);
      return lockShare(tx, share);
    };
    return { roomId, soulId, withNames, lock };
  }
  if (share_id !== undefined || soul_id === undefined || session_token === undefined) {
    throw invalidField("share_id", "or soul_id and session_token must be given");
  }
  const { record } = await authorizeRoom(ctx, { soul_id, session_token }, ctx.hub.chatRooms);
  if (!record) throw new HubError("message_not_found", { message: EMPTY });
  const roomId = record.id;
  const lock = async (tx: Db) => {
    assertVisible(ctx, await lockSoul(tx, soul_id));
    const end = await sharedEnd(tx, roomId, to_id);
    await assertMayRead(tx, roomId, participantId(ctx.caller));
    return end;
  };
  return { roomId, soulId: soul_id, withNames: true, lock };
}

/**
 * Locks the soul of both rooms against its deletion. A deletion locks the soul before its rooms, so a
 * copy does, too.
 */
const lockSoul = (tx: Db, id: number) =>
  tx
    .selectFrom("souls")
    .select(["user_id", "is_public"])
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();

/** @throws HubError `banned`, `blocked`, `private_session` */
async function assertMayRead(tx: Db, roomId: number, participant: string): Promise<void> {
  const right = await tx
    .selectFrom("chat_rooms as room")
    .select([
      sql<boolean>`may_enter(room.id, room.owner, room.is_private, ${participant})`.as("is_open"),
      sql<RoomRecord["restriction"]>`coalesce(owner_refusal(room.owner, ${participant}),
        room_restriction(room.id, ${participant}))`.as("restriction"),
    ])
    .where("id", "=", roomId)
    .executeTakeFirstOrThrow();
  if (!right.is_open) throw refusedBy(right.restriction);
}

const EMPTY = "The conversation is empty.";
const TAKEN = "A conversation with this new_session_token exists already.";
