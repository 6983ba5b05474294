import type { CallContext } from "../../context.ts";
import { callForRow } from "../../db/sql-functions.ts";
import { HubError } from "../../errors.ts";
import { type QuotaHold, replaceSweptHold } from "../../quota/quota-hold.service.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { MadeBy, RoomMessage } from "../../rooms/room-events.ts";
import type { StoredMadeBy } from "../chat-message.entity.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";
import type { StoredStep } from "../rows/revision-step.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "../rows/room-key.ts";
import { type BranchRefusal, branchError } from "../tree/branch-error.ts";
import { retryStore, STORING_SECONDS } from "./retry-store.ts";
import { throwSoulNotFound } from "./soul-not-found.ts";

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
  /** Null if unknown: the reply then follows `asked_on`, wherever the path has moved. */
  asked_epoch: number | null;
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
  step: StoredStep;
  /** The epoch of the path for the next reply to the same question, which follows this one (0041). */
  epoch: number | null;
}

/** Outcomes of `store_unanswered` and `store_held_reply` that store nothing. */
type NotStored = "hold_gone" | "room_gone" | "not_private" | "not_open" | BranchRefusal;

/** Columns of `store_unanswered` and `store_held_reply` about stored messages. */
export interface WrittenLines extends StoredStep {
  room_id: number;
  former_head: number;
  /** The parent of the first stored message; 0 if it begins a tree. */
  parent: number;
  /** Null for a reply alone. */
  question_id: number | null;
  created_at: string;
}

interface WrittenReply extends WrittenLines {
  reply_id: number;
  unsummarised: number;
  epoch: number | null;
}

/** `again`: an earlier attempt, whose response was lost, has stored the messages. */
type Written<Lines> = ({ outcome: "stored" | "again" } & Lines) | { outcome: NotStored };

const isStored = <Lines>(
  written: Written<Lines>,
): written is { outcome: "stored" | "again" } & Lines =>
  written.outcome === "stored" || written.outcome === "again";

/**
 * Stores a question with its reply, or a reply alone, and settles their quota hold, in one
 * transaction (decisions §5, Storage; docs/decisions/0023). The sender of a room's first message
 * becomes its owner.
 * @throws HubError those of notStored
 * @throws HubError `overloaded` if the database was unreachable for 25 s
 */
export async function storeExchange(
  ctx: CallContext,
  name: RoomName,
  exchange: Exchange,
  hold: QuotaHold,
): Promise<StoredExchange> {
  const { asker, question, soulTitle, reply, made_by, place, roomState } = exchange;
  const attempt = () =>
    write<WrittenReply>(ctx, "store_held_reply", name, roomState, {
      asker: asker.id,
      asker_name: asker.name,
      question,
      replier_name: soulTitle,
      reply,
      provenance: JSON.stringify(made_by),
      hold: hold.id,
      ...place,
    });
  const written = await retryStore(ctx, async () => {
    const first = await attempt();
    if (first.outcome !== "hold_gone") return first;
    // Only the sweeper can have deleted the quota hold, because a refund happens only after storing
    // has ended.
    await replaceSweptHold(ctx.db, hold, STORING_SECONDS);
    return attempt();
  });
  if (!isStored(written)) throw await notStored(ctx, name, asker.id, written.outcome);
  return toStored(exchange, written);
}

/**
 * Stores a message without a reply.
 * @throws HubError those of notStored
 */
export async function writeLine(
  ctx: CallContext,
  name: RoomName,
  roomState: RoomState,
  args: {
    /** The room that admitted the message; null if it did not exist. */
    admitted_to: number | null;
    asker: string;
    asker_name: string;
    line: string;
    said_to: string;
    under: number | null;
  },
): Promise<WrittenLines> {
  const written = await write<WrittenLines>(ctx, "store_unanswered", name, roomState, args);
  if (!isStored(written)) throw await notStored(ctx, name, args.asker, written.outcome);
  return written;
}

/** @throws HubError `soul_not_found` if the soul was deleted meanwhile */
async function write<Lines>(
  { hub, db }: CallContext,
  run: "store_unanswered" | "store_held_reply",
  name: RoomName,
  roomState: RoomState,
  args: Record<string, unknown>,
): Promise<Written<Lines>> {
  const { soulId: of_soul, tokenHash: of_token_hash } = splitRoomKey(roomKey(name));
  // The sealed token begins a room that does not exist.
  const of_token_sealed = roomState === "new" ? sealSessionToken(hub.vault, name) : null;
  const for_private = roomState === "private";
  const room = { of_soul, of_token_hash, of_token_sealed, for_private };
  return callForRow<Written<Lines>>(db, run, { ...room, ...args }).catch(throwSoulNotFound);
}

/**
 * Returns the error of messages that were not stored because of the room's present state.
 * @param asker the participant who sent the message
 * @returns HubError `soul_not_found` if the soul was deleted meanwhile, `cancelled` if the room was;
 *   `private_session`, `blocked` or `banned` if the asker may no longer enter the room;
 *   `message_not_found`, `not_owner`, `limit_reached` if the asker may not branch at the chosen place
 */
async function notStored(
  { hub }: CallContext,
  name: RoomName,
  asker: string,
  outcome: NotStored,
): Promise<Error> {
  switch (outcome) {
    case "hold_gone":
      return new Error("The quota hold was swept twice while its reply was stored.");
    case "room_gone":
    case "not_private":
      if (!(await hub.souls.byId(name.soul_id))) return new HubError("soul_not_found");
      return new HubError("cancelled", { message: "The conversation was deleted meanwhile." });
    case "not_open":
      return notAdmitted({ hub }, roomKey(name), asker);
    default:
      return branchError(outcome);
  }
}

/** The refusal of a participant with this restriction: `banned`, `blocked` or `private_session`. */
export const refusedBy = (restriction: RoomRecord["restriction"] | undefined): HubError =>
  new HubError(!restriction || restriction === "muted" ? "private_session" : restriction);

/** Returns the refusal of a participant without access to the room. */
export async function notAdmitted(
  { hub }: Pick<CallContext, "hub">,
  key: string,
  participant: string,
): Promise<HubError> {
  return refusedBy((await hub.chatRooms(key, participant))?.restriction);
}

function toStored(
  { asker, question, soulTitle, reply: text, made_by }: Exchange,
  written: WrittenReply,
): StoredExchange {
  const { room_id, former_head, reply_id, unsummarised } = written;
  const { revision, prev_revision, epoch, created_at } = written;
  const asked = question === null ? undefined : toQuestion(written, asker, question);
  const reply = {
    id: reply_id,
    prev_id: asked?.id ?? former_head,
    parent_id: asked?.id ?? (written.parent || null),
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

/** Returns the stored message of a person. */
export function toQuestion(
  { question_id, former_head, parent, created_at }: WrittenLines,
  asker: Participant,
  content: string,
): RoomMessage {
  if (question_id === null) throw new Error("A message without a reply was not stored.");
  return {
    id: question_id,
    prev_id: former_head,
    parent_id: parent || null,
    role: "user",
    sender_name: asker.name,
    content,
    created_at,
  };
}
