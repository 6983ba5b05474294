import type { CallContext } from "../../context.ts";
import { type QuotaHold, replaceSweptHold } from "../../quota/quota-hold.service.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { MadeBy, RoomMessage } from "../../rooms/room-events.ts";
import type { StoredMadeBy } from "../chat-message.entity.ts";
import type { RevisionStep } from "../rows/revision-step.ts";
import type { RoomName } from "../rows/room-key.ts";
import { assertAdmitted } from "./assert-admitted.ts";
import { callStoreReply, type RoomState, toQuestion, type Written } from "./call-store-reply.ts";
import { retryStore, STORING_SECONDS } from "./retry-store.ts";

/** A question and its reply, or a reply alone. */
interface Exchange {
  asker: Participant;
  /** Null for a reply alone, to an earlier question. */
  question: string | null;
  soulTitle: string;
  reply: string;
  made_by: StoredMadeBy;
  place: Place;
  roomState: RoomState;
}

/** Where an exchange goes in the room's tree; the commit decides (0038). */
export interface Place {
  /** The message that the caller has chosen to continue; null continues the path. */
  under: number | null;
  /**
   * The end of the path and its epoch when the question was accepted. For a further reply to one
   * question: the reply before, and the epoch that storing it has returned.
   */
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
  /** The epoch of the path for the next reply to the same question, which follows this one (0041). */
  epoch: number;
}

/**
 * Stores a question with its reply, or a reply alone, and settles their quota hold, in one
 * transaction (decisions §5, Storage; docs/decisions/0023). The sender of a room's first message
 * becomes its owner.
 * @throws HubError those of assertAdmitted
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
  await assertAdmitted(ctx, name, exchange.asker.id, written);
  const { room_id, reply_id, created_at } = written;
  if (room_id === null || reply_id === null || created_at === null) {
    throw new Error("The quota hold was swept twice while its reply was stored.");
  }
  return toStored(exchange, { ...written, room_id, reply_id, created_at });
}

function toStored(
  { asker, question, soulTitle, reply: text, made_by }: Exchange,
  written: Written & { room_id: number; reply_id: number; created_at: string },
): StoredExchange {
  const { room_id, former_head, question_id, reply_id, unsummarised } = written;
  const { revision, prev_revision, epoch, created_at } = written;
  const parent_id = written.parent || null;
  const asked =
    question === null || question_id === null
      ? undefined
      : toQuestion(written, { id: question_id, asker, content: question, created_at });
  const reply = {
    id: reply_id,
    prev_id: asked?.id ?? former_head,
    parent_id: asked?.id ?? parent_id,
    role: "assistant" as const,
    sender_name: soulTitle,
    content: text,
    created_at,
    made_by: { ...made_by, edited_by: null },
  };
  return {
    roomId: room_id,
    questionId: asked?.id ?? written.parent,
    messages: asked ? [asked, reply] : [reply],
    reply,
    unsummarised,
    step: { revision, prev_revision },
    epoch,
  };
}

const writeExchange = (
  ctx: CallContext,
  name: RoomName,
  { asker, question, soulTitle, reply, made_by, place, roomState }: Exchange,
  hold: QuotaHold,
): Promise<Written> =>
  callStoreReply(ctx, name, roomState, {
    asker: asker.id,
    asker_name: asker.name,
    question,
    replier_name: soulTitle,
    reply,
    provenance: JSON.stringify(made_by),
    hold: hold.id,
    ...place,
  });
