import { randomUUID } from "node:crypto";
import { accountIdOf, participantId, quotaSubject } from "../../accounts/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import { type QuotaHold, refundQuota, reserveQuota } from "../../quota/quota-hold.service.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import { assertMayTalk } from "../access/may-talk.ts";
import type { RoomName } from "../access/room-key.ts";
import { canOwn, issueGuestCookie, participantOf } from "../access/room-participant.ts";
import { replyingSoul } from "../provenance/replying-soul.ts";
import { makePrivate } from "../storing/make-private.ts";
import { STORING_SECONDS } from "../storing/retry-store.ts";
import type { StoredExchange } from "../storing/store-messages.ts";
import { foldSummary } from "../summaries/summary.service.ts";
import { type FormerQuestion, findBranchPoint, type WantedPlace } from "../tree/branch-point.ts";
import { withoutImageMark } from "./chat-image.ts";
import { type GivenMessage, readMessage } from "./read-message.ts";
import { writeReply } from "./write-reply.ts";

interface NewMessage extends RoomName, GivenMessage, WantedPlace {
  is_private: boolean;
  deep_think: boolean;
  /** The version of the soul for this reply alone. */
  version?: number | undefined;
}

/**
 * Sends one message and waits for its stored reply: POST /api/chat and `chat.send` (decisions §5).
 * The room reads the reply while it is written.
 * @param disconnected aborts when the caller disconnects, which cancels the reply
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
  const authorize = () => authorizeMessage(ctx, input);
  let authorized = await authorize();
  const { record } = authorized.room;
  const asker = participantId(ctx.caller);
  if (input.is_private && (!canOwn(ctx) || (record && record.owner !== asker))) {
    throw new HubError("private_session");
  }
  if (image && !limits.allow_image) throw new HubError("image_not_allowed");
  if (input.deep_think && !limits.deep_think_cost) throw new HubError("deep_think_not_allowed");

  const cancelled = new AbortController();
  const signals = [cancelled.signal, ctx.hub.replies.stopped, disconnected];
  const signal = AbortSignal.any(signals.filter((given) => given !== undefined));
  const subject = quotaSubject(ctx.caller);
  const mustWait = !ctx.hub.modelCalls.canRun(subject);
  using _slot = await ctx.hub.modelCalls.acquire(subject, signal);
  const reply_id = randomUUID();
  try {
    // The room and the caller's permissions may have changed during the wait for a slot, so both
    // are checked again.
    if (mustWait) authorized = await authorize();
    const { room, soul, branch } = authorized;
    const hold = await reserveQuota(ctx, {
      units: (input.deep_think && limits.deep_think_cost) || 1,
      wantsPremium: !image && ctx.hub.models.routes.premium !== null && limits.premium_limit > 0,
      holdSeconds: Math.ceil(ctx.hub.models.longestCallMs / 1_000) + STORING_SECONDS,
    });
    ctx.hub.replies.set(reply_id, {
      roomKey: room.key,
      askerId: asker,
      cancel: () => cancelled.abort(new HubError("cancelled")),
    });
    const question = { ...input, reply_id, sender: participantOf(ctx), image, soul, branch };
    const stored = await settleOrRefund(ctx, hold, async () => {
      // Quota units are reserved before this point, because a call refused for its quota must not
      // create a room.
      if (input.is_private && !room.record?.is_private) await makePrivate(ctx, input, asker);
      return writeReply(ctx, room, question, hold, signal);
    });
    foldSummary(ctx.hub, stored, accountIdOf(ctx.caller));
    const { content: reply, sender_name, id: message_id, made_by } = stored.reply;
    return {
      reply,
      sender_name,
      reply_id,
      message_id,
      question_id: stored.questionId,
      made_by,
      answered: true,
      quota: hold.quota,
    };
  } finally {
    ctx.hub.replies.delete(reply_id);
  }
}

/**
 * Reads the room, the soul's version that replies and the place in the room's tree, and checks the
 * caller's rights to them.
 */
async function authorizeMessage(ctx: CallContext, input: NewMessage) {
  // One statement reads the room's row and its messages, so that both are from the same moment.
  const room = await authorizeRoom(ctx, input, ctx.hub.memories);
  assertMayTalk(room.record, participantOf(ctx));
  const branch = await findBranchPoint(ctx, room.record, input);
  if (branch?.regenerates) checkImage(branch.regenerates, input.image);
  const soul = await replyingSoul(ctx, room.soul, room.record?.souls?.[0], input.version);
  return { room, branch, soul };
}

/** @throws HubError `invalid_input` unless the question's image is given again */
function checkImage({ content }: FormerQuestion, image: GivenMessage["image"]): void {
  const hasImage = withoutImageMark(content) !== undefined;
  if (hasImage === (typeof image === "string")) return;
  const message = hasImage ? "is needed again: the question has one" : "the question has none";
  throw new HubError("invalid_input", { details: [{ field: "image", message }] });
}

/**
 * Refunds the quota units of a reply that was not stored. Storing a reply settles its units in the
 * same transaction.
 */
async function settleOrRefund(
  ctx: CallContext,
  hold: QuotaHold,
  reply: () => Promise<StoredExchange>,
): Promise<StoredExchange> {
  try {
    return await reply();
  } catch (error) {
    // If the refund fails, the sweeper repeats it. The caller receives the reply's error, not the
    // refund's.
    await refundQuota(ctx.db, hold).catch((cause: unknown) =>
      ctx.log.error({ err: cause }, "quota refund failed; the sweeper will retry it"),
    );
    throw error;
  }
}
