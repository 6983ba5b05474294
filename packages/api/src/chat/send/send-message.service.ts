import { accountIdOf } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { quotaAccount, readQuota } from "../../quota/quota.service.ts";
import { issueGuestCookie } from "../access/room-participant.ts";
import { readMessage } from "../content/read-message.ts";
import { makePrivate } from "../storing/make-private.ts";
import { countLine, storeLine } from "../storing/store-line.ts";
import type { StoredExchange } from "../storing/store-messages.ts";
import { foldSummary } from "../summaries/summary.service.ts";
import {
  type AcceptedMessage,
  acceptMessage,
  type NewMessage,
  shownText,
} from "./accept-message.ts";
import { answerInTurn, type Outcome } from "./answer-in-turn.ts";

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
  const image = readMessage(input, quotaAccount(call).limits.max_input_chars);
  // A new guest acts under the id of its cookie, so that its next call owns the same rooms.
  const ctx = issueGuestCookie(call);
  const accepted = await acceptMessage(ctx, input, image);
  const { message, holds, outcomes } = await answerInTurn(ctx, accepted, disconnected);
  if (outcomes.length === 0) {
    await countLine(call);
    return leaveUnanswered(ctx, message);
  }
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

/** Stores a message to which no soul replies. It costs no unit (0041). */
async function leaveUnanswered(ctx: CallContext, message: AcceptedMessage) {
  const { input, room, roomState, sender, branch } = message;
  await makePrivate(ctx, input, room);
  const { id } = await storeLine(ctx, input, {
    sender,
    content: shownText(message),
    audience: "room",
    under: branch?.under ?? null,
    roomState,
    room: room.record,
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
