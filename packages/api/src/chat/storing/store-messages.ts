import type { CallContext } from "../../context.ts";
import { callFunction } from "../../db/sql-functions.ts";
import { HubError } from "../../errors.ts";
import { type QuotaHold, replaceSweptHold } from "../../quota/quota-hold.service.ts";
import type { Participant } from "../../rooms/presence/presence-store.ts";
import type { MadeBy, RoomMessage } from "../../rooms/room-events.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "../access/room-key.ts";
import type { StoredMadeBy } from "../chat-message.entity.ts";
import { type BranchRefusal, branchError } from "../tree/branch-error.ts";
import type { RevisionStep } from "../tree/revision-step.ts";
import { retryStore, STORING_SECONDS } from "./retry-store.ts";
import { throwSoulNotFound } from "./soul-not-found.ts";

/** A question and its reply, or a reply alone. */
interface Exchange {
  asker: Participant;
  /** Null for a reply alone, to the question `place.under`. */
  question: string | null;
  soulTitle: string;
  reply: string;
  made_by: StoredMadeBy;
  place: Place;
  /** True if the room had no messages when the question was accepted. */
  isFirst: boolean;
}

/** Where an exchange goes in the room's tree; the commit decides (0038). */
interface Place {
  /** The message that the caller has chosen to continue; null continues the path. */
  under: number | null;
  /** The end of the path and its epoch when the question was accepted. */
  asked_on: number;
  asked_epoch: number;
}

export interface StoredExchange {
  roomId: number;
  questionId: number;
  /** The stored messages: the question, if it is new, and the reply. */
  messages: RoomMessage[];
  reply: RoomMessage & { made_by: MadeBy };
  /** Number of the path's messages that the room's summary does not cover. Counting stops at 50. */
  unsummarised: number;
  /** The revision of the room before and after. They differ if the room's path has moved. */
  step: RevisionStep;
}

/**
 * Stores a question with its reply, or a reply alone, and settles their quota hold, in one
 * transaction (decisions §5, Storage; docs/decisions/0023). The sender of a room's first message
 * becomes its owner.
 * @throws HubError `private_session` if the room was made private meanwhile
 * @throws HubError `soul_not_found` if the soul was deleted meanwhile
 * @throws HubError `message_not_found`, `not_owner`, `limit_reached` if the caller may not branch
 *   at the chosen place any more
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
    const isHoldGone = attempt.is_open && attempt.refusal === null && attempt.reply_id === null;
    if (!isHoldGone) return attempt;
    // Only the sweeper can have deleted the quota hold, because a refund happens only after storing
    // has ended.
    await replaceSweptHold(ctx.db, hold, STORING_SECONDS);
    return writeExchange(ctx, name, exchange, hold);
  });
  if (written.room_id === null) {
    throw new HubError(exchange.question === null ? "message_not_found" : "soul_not_found");
  }
  if (!written.is_open) throw new HubError("private_session");
  if (written.refusal !== null) throw branchError(written.refusal);
  if (written.reply_id === null) {
    throw new Error("The quota hold was swept twice while its reply was stored.");
  }
  return toStored(exchange, { ...written, room_id: written.room_id, reply_id: written.reply_id });
}

function toStored(
  { asker, question, soulTitle, reply: text, made_by }: Exchange,
  written: Written & { room_id: number; reply_id: number },
): StoredExchange {
  const { room_id, former_head, question_id, reply_id, unsummarised } = written;
  const { revision, prev_revision } = written;
  const parent_id = written.parent || null;
  const asked =
    question === null || question_id === null
      ? undefined
      : {
          id: question_id,
          prev_id: former_head,
          parent_id,
          role: "user" as const,
          sender_name: asker.name,
          content: question,
        };
  const reply = {
    id: reply_id,
    prev_id: asked?.id ?? former_head,
    parent_id: asked?.id ?? parent_id,
    role: "assistant" as const,
    sender_name: soulTitle,
    content: text,
    made_by: { ...made_by, edited_by: null },
  };
  return {
    roomId: room_id,
    questionId: asked?.id ?? written.parent,
    messages: asked ? [asked, reply] : [reply],
    reply,
    unsummarised,
    step: { revision, prev_revision },
  };
}

async function writeExchange(
  { hub, db }: CallContext,
  name: RoomName,
  { asker, question, soulTitle, reply, made_by, place, isFirst }: Exchange,
  hold: QuotaHold,
): Promise<Written> {
  const { soulId, tokenHash } = splitRoomKey(roomKey(name));
  const write = async (of_token_sealed: string | null) => {
    const [written] = await callFunction<Written>(db, "store_reply", {
      of_soul: soulId,
      of_token_hash: tokenHash,
      of_token_sealed,
      asker: asker.id,
      asker_name: asker.name,
      question,
      replier_name: soulTitle,
      reply,
      provenance: JSON.stringify(made_by),
      hold: hold.id,
      ...place,
    });
    return written;
  };
  const written = isFirst ? undefined : await write(null);
  if (written && (written.room_id !== null || question === null)) return written;
  // With the sealed token, `store_reply` creates a room that does not exist.
  const first = await write(sealSessionToken(hub.vault, name)).catch(throwSoulNotFound);
  if (!first) throw new Error("store_reply returned no row.");
  return first;
}

/** The row that the database function `store_reply` returns. */
interface Written extends RevisionStep {
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
   * Null if nothing was stored, because the sender may not enter the room or branch at the place,
   * or the quota hold no longer exists.
   */
  reply_id: number | null;
  unsummarised: number;
}
