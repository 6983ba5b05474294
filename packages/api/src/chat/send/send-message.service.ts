import { accountIdOf, participantId, quotaSubject } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { quotaAccount, readQuota } from "../../quota/quota.service.ts";
import { reserveQuotas } from "../../quota/quota-hold.service.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import { assertMayTalk } from "../access/may-talk.ts";
import { canOwn, issueGuestCookie, participantOf } from "../access/room-participant.ts";
import { addressedSouls } from "../addressing/addressed-souls.ts";
import { withoutImageMark } from "../content/chat-image.ts";
import { type GivenMessage, readMessage } from "../content/read-message.ts";
import type { RoomName } from "../rows/room-key.ts";
import { roomStateOf } from "../storing/call-store-reply.ts";
import { makePrivate } from "../storing/make-private.ts";
import { STORING_SECONDS } from "../storing/retry-store.ts";
import { countLine, storeLine } from "../storing/store-line.ts";
import type { StoredExchange } from "../storing/store-messages.ts";
import { foldSummary } from "../summaries/summary.service.ts";
import { type FormerQuestion, findBranchPoint, type WantedPlace } from "../tree/branch-point.ts";
import { answerInTurn, type Outcome } from "./answer-in-turn.ts";
import { type AcceptedMessage, shownText } from "./turns.ts";

interface NewMessage extends RoomName, GivenMessage, WantedPlace {
  is_private: boolean;
  deep_think: boolean;
  /** The version of the soul for this reply alone. */
  version?: number | undefined;
  /** The souls that reply, in this order. By default the mentioned ones, else the room's own. */
  to?: number[] | undefined;
}

/**
 * Sends one message and waits for the stored replies: POST /api/chat and `chat.send` (decisions §5).
 * The room reads each reply while it is written. Without a soul that replies, the message is stored
 * alone.
 * @param disconnected aborts when the caller disconnects, which cancels the replies
 * @throws HubError every code that `chat.send` lists in chat.router.ts
 */
export async function sendMessage(
  call: CallContext,
  input: NewMessage,
  disconnected: AbortSignal | undefined,
) {
  const { limits } = quotaAccount(call);
  const image = readMessage(input, limits.max_input_chars);
  // A new guest acts under the id of its cookie, so that its next call owns the same rooms.
  const ctx = issueGuestCookie(call);
  const accept = async (): Promise<AcceptedMessage> => ({
    ...(await authorizeMessage(ctx, input)),
    sender: participantOf(ctx),
    content: input.content,
    image,
    deep_think: input.deep_think,
  });
  let message = await accept();
  const { record } = message.room;
  const asker = participantId(ctx.caller);
  // In a room that is private already, `is_private` changes nothing, and a member may send it.
  const turnsPrivate = input.is_private && !record?.is_private;
  if (turnsPrivate && (!canOwn(ctx) || (record && record.owner !== asker))) {
    throw new HubError("private_session");
  }
  if (image && !limits.allow_image) throw new HubError("image_not_allowed");
  if (input.deep_think && !limits.deep_think_cost) throw new HubError("deep_think_not_allowed");
  const leave = async () => {
    await countLine(call);
    return leaveUnanswered(ctx, input, message);
  };
  if (message.souls.length === 0) return leave();

  const subject = quotaSubject(ctx.caller);
  const mustWait = !ctx.hub.modelCalls.canRun(subject);
  const signals = [ctx.hub.replies.stopped, disconnected];
  const signal = AbortSignal.any(signals.filter((given) => given !== undefined));
  using _slot = await ctx.hub.modelCalls.acquire(subject, signal);
  // The room and the caller's permissions may have changed during the wait for a slot, so both are
  // checked again.
  if (mustWait) message = await accept();
  const { souls } = message;
  if (souls.length === 0) return leave();
  const secondsOfReply = Math.ceil(ctx.hub.models.longestCallMs / 1_000) + STORING_SECONDS;
  const holds = await reserveQuotas(
    ctx,
    {
      units: (input.deep_think && limits.deep_think_cost) || 1,
      wantsPremium: !image && ctx.hub.models.routes.premium !== null && limits.premium_limit > 0,
      // The hold of the last reply outlives all replies before it.
      holdSeconds: secondsOfReply * souls.length,
    },
    souls.length,
  );
  const outcomes = await answerInTurn(ctx, {
    name: input,
    message,
    holds,
    disconnected,
    // Quota units are reserved before this point, because a call refused for its quota must not
    // create a room.
    prepare: () => keepPrivate(ctx, input, message),
  });
  const stored = outcomes.flatMap((outcome) => outcome.stored ?? []);
  const [first] = stored;
  const last = stored.at(-1);
  if (!first || !last) throw new Error("A message without a reply was answered.");
  foldSummary(ctx.hub, last, accountIdOf(ctx.caller));
  const isWhole = stored.length === outcomes.length;
  return {
    ...toReply(first),
    reply_id: outcomes[0]?.reply_id ?? null,
    question_id: first.questionId,
    answered: true,
    ...(outcomes.length > 1 && { replies: outcomes.map(toEntry) }),
    // The refund of a failed reply changes the quota that the holds have reported.
    quota: (isWhole ? holds.at(-1)?.quota : undefined) ?? (await readQuota(ctx)),
  };
}

const toReply = ({ reply }: StoredExchange) => ({
  reply: reply.content,
  sender_name: reply.sender_name,
  message_id: reply.id,
  made_by: reply.made_by,
});

const toEntry = ({ soul, title, reply_id, stored, error }: Outcome) => ({
  soul_id: soul.soul_id,
  reply_id,
  ...(stored
    ? toReply(stored)
    : { reply: "", sender_name: title, message_id: null, made_by: null, error }),
});

/** Makes the room private before its owner's first private message is accepted. */
async function keepPrivate(ctx: CallContext, input: NewMessage, { room }: AcceptedMessage) {
  if (!input.is_private || room.record?.is_private) return;
  await makePrivate(ctx, input, participantId(ctx.caller));
}

/** Stores a message to which no soul replies. It costs no unit (0041). */
async function leaveUnanswered(ctx: CallContext, input: NewMessage, message: AcceptedMessage) {
  const { room, roomState, sender, branch } = message;
  await keepPrivate(ctx, input, message);
  const { id } = await storeLine(ctx, input, {
    sender,
    content: shownText(message),
    audience: "room",
    under: branch?.under ?? null,
    roomState,
  });
  return {
    reply: "",
    sender_name: room.soul.title,
    reply_id: null,
    message_id: id,
    question_id: id,
    made_by: null,
    answered: false,
    quota: await readQuota(ctx),
  };
}

/**
 * Reads the room, the place in its tree and the souls that reply, and checks the caller's rights to
 * them.
 */
async function authorizeMessage(ctx: CallContext, input: NewMessage) {
  // One statement reads the room's row and its messages, so that both are from the same moment.
  const room = await authorizeRoom(ctx, input, ctx.hub.memories);
  assertMayTalk(room.record, participantOf(ctx));
  const branch = await findBranchPoint(ctx, room.record, input);
  const former = branch?.regenerates;
  if (former) checkImage(former, input.image);
  const { to, version } = input;
  const { content } = former ?? input;
  const address = { to, version, content, isRegeneration: former !== undefined };
  const roomState = roomStateOf(room.record, input.is_private);
  return { room, roomState, branch, souls: await addressedSouls(ctx, room, address) };
}

/** @throws HubError `invalid_input` unless the question's image is given again */
function checkImage({ content }: FormerQuestion, image: GivenMessage["image"]): void {
  const hasImage = withoutImageMark(content) !== undefined;
  if (hasImage === (typeof image === "string")) return;
  const message = hasImage ? "is needed again: the question has one" : "the question has none";
  throw new HubError("invalid_input", { details: [{ field: "image", message }] });
}
