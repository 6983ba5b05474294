import { randomUUID } from "node:crypto";
import { accountIdOf, participantId, quotaSubject } from "../../accounts/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import { type QuotaHold, refundQuota, reserveQuota } from "../../quota/quota-hold.service.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import type { RoomName } from "../access/room-key.ts";
import { issueGuestCookie, participantOf } from "../access/room-participant.ts";
import { STORING_SECONDS } from "../storing/retry-store.ts";
import { makePrivate, type StoredExchange } from "../storing/store-messages.ts";
import { foldSummary } from "../summaries/summary.service.ts";
import { type GivenMessage, readMessage } from "./read-message.ts";
import { writeReply } from "./write-reply.ts";

interface NewMessage extends RoomName, GivenMessage {
  is_private: boolean;
  deep_think: boolean;
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
  // One statement reads the room's row and its messages, so that both are from the same moment.
  const authorize = () => authorizeRoom(ctx, input, ctx.hub.memories);
  let room = await authorize();
  const asker = participantId(ctx.caller);
  if (input.is_private && (!canOwn(ctx) || (room.record && room.record.owner !== asker))) {
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
    if (mustWait) room = await authorize();
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
    const question = { ...input, reply_id, sender: participantOf(ctx), image };
    const stored = await settleOrRefund(ctx, hold, async () => {
      // Quota units are reserved before this point, because a call refused for its quota must not
      // create a room.
      if (input.is_private && !room.record?.is_private) await makePrivate(ctx, input, asker);
      return writeReply(ctx, room, question, hold, signal);
    });
    foldSummary(ctx.hub, stored, accountIdOf(ctx.caller));
    const [, { content: reply, sender_name }] = stored.messages;
    return { reply, sender_name, reply_id, quota: hold.quota };
  } finally {
    ctx.hub.replies.delete(reply_id);
  }
}

/**
 * Guests without a cookie own no rooms: guests with the same IP address and user agent share an id.
 */
const canOwn = ({ caller }: CallContext): boolean =>
  caller.kind !== "guest" || caller.guest.hasCookie;

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
