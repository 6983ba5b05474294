import type { CallContext } from "../../context.ts";
import { callFunction } from "../../db/sql-functions.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { RoomMessage } from "../../rooms/room-events.ts";
import type { RevisionStep } from "../rows/revision-step.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "../rows/room-key.ts";
import type { BranchRefusal } from "../tree/branch-error.ts";
import { throwSoulNotFound } from "./soul-not-found.ts";

/** The row that the database function `store_reply` returns. */
export interface Written extends RevisionStep {
  /** Null if the room does not exist. */
  room_id: number | null;
  is_open: boolean;
  /** The reason why the caller may not branch at the chosen place. */
  refusal: BranchRefusal | null;
  former_head: number;
  /** The parent of the first stored message; 0 if it begins a tree. */
  parent: number;
  /** Null for a reply alone. */
  question_id: number | null;
  /**
   * Null if there was no reply to store, or if nothing was stored: the sender may not enter the room
   * or branch at the place, or the quota hold no longer exists.
   */
  reply_id: number | null;
  /** Time of the stored messages. Null if nothing was stored. */
  created_at: string | null;
  unsummarised: number;
  epoch: number;
}

/**
 * The room for which a message was accepted: one that did not exist, a public or a private one. If
 * the room is deleted meanwhile, only a message for a new room begins it. A message for a private
 * room is never stored in a public one (0042).
 */
export type RoomState = "new" | "public" | "private";

/** @param turnsPrivate true for a message that makes its room private */
export function roomStateOf(
  record: { is_private: boolean } | undefined,
  turnsPrivate = false,
): RoomState {
  if (turnsPrivate || record?.is_private) return "private";
  return record ? "public" : "new";
}

/** The arguments of `store_reply` beside those that name the room. */
interface StoreArguments {
  asker: string;
  asker_name: string;
  question: string | null;
  [argument: string]: unknown;
}

/**
 * Calls the database function `store_reply`, which adds messages to a room. The sender of a room's
 * first message becomes its owner.
 * @throws HubError `soul_not_found` if the soul was deleted meanwhile
 */
export async function callStoreReply(
  { hub, db }: CallContext,
  name: RoomName,
  roomState: RoomState,
  args: StoreArguments,
): Promise<Written> {
  const { soulId: of_soul, tokenHash: of_token_hash } = splitRoomKey(roomKey(name));
  // With the sealed token, `store_reply` creates a room that does not exist.
  const of_token_sealed = roomState === "new" ? sealSessionToken(hub.vault, name) : null;
  const for_private = roomState === "private";
  const room = { of_soul, of_token_hash, of_token_sealed, for_private };
  // A function can't get another output column (0026), so a second one reads the time.
  const time = "message_time(coalesce(reply_id, question_id)) as created_at";
  const [written] = await callFunction<Written>(
    db,
    "store_reply",
    { ...room, ...args },
    time,
  ).catch(throwSoulNotFound);
  if (!written) throw new Error("store_reply returned no row.");
  return written;
}

/** Returns the stored message of a person. */
export const toQuestion = (
  { former_head, parent }: Pick<Written, "former_head" | "parent">,
  {
    id,
    asker,
    content,
    created_at,
  }: { id: number; asker: Participant; content: string; created_at: string },
): RoomMessage => ({
  id,
  prev_id: former_head,
  parent_id: parent || null,
  role: "user",
  sender_name: asker.name,
  content,
  created_at,
});
