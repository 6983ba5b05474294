import { randomUUID } from "node:crypto";
import { accountIdOf, participantId, quotaSubject } from "../accounts/caller.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { quotaAccount } from "../quota/quota.service.ts";
import { type QuotaHold, refundQuota, reserveQuota } from "../quota/quota-hold.service.ts";
import { enterToTalk } from "./enter-to-talk.ts";
import { readMessage } from "./read-message.ts";
import { keepGuest, participantOf } from "./room-access.ts";
import type { RoomName } from "./room-key.ts";
import { makePrivate, type StoredExchange } from "./store-messages.ts";
import { foldSummary } from "./summaries/summary.service.ts";
import { STORING_SECONDS } from "./until-stored.ts";
import { writeReply } from "./write-reply.ts";

interface NewMessage extends RoomName {
  content: string;
  image?: string | null | undefined;
  is_private: boolean;
  deep_think: boolean;
}

/**
 * One message and its reply: POST /api/chat and `chat.send` (decisions §5).
 * @param leaves aborts when a caller whose reply is theirs alone goes away
 */
export async function sendMessage(call: CallContext, input: NewMessage, leaves: AbortSignal) {
  const { limits } = quotaAccount(call);
  const image = readMessage(input, limits.max_input_chars);
  // From here on as whom they will be next time, or the room they make now would not be theirs.
  const ctx = keepGuest(call);
  let room = await enterToTalk(ctx, input);
  const asker = participantId(ctx.caller);
  if (input.is_private && (!canOwn(ctx) || (room.record && room.record.owner !== asker))) {
    throw new HubError("private_session");
  }
  if (image && !limits.allow_image) throw new HubError("image_not_allowed");
  if (input.deep_think && !limits.deep_think_cost) throw new HubError("deep_think_not_allowed");

  const cancelled = new AbortController();
  const signal = AbortSignal.any([cancelled.signal, leaves]);
  const subject = quotaSubject(ctx.caller);
  const mustWait = !ctx.hub.turns.isFree(subject);
  const giveBackTurn = await ctx.hub.turns.take(subject, signal);
  const reply_id = randomUUID();
  try {
    // Much may have happened in the meantime.
    if (mustWait) room = await enterToTalk(ctx, input);
    const hold = await reserveQuota(ctx, {
      units: (input.deep_think && limits.deep_think_cost) || 1,
      wantsPremium: !image && ctx.hub.models.routes.premium !== null && limits.premium_limit > 0,
      holdSeconds: Math.ceil(ctx.hub.models.longestCallMs / 1_000) + STORING_SECONDS,
    });
    ctx.hub.replies.add(reply_id, {
      roomKey: room.key,
      askerId: asker,
      cancel: (code) => cancelled.abort(new HubError(code)),
    });
    const question = { ...input, reply_id, sender: participantOf(ctx), image };
    const stored = await settleOrRefund(ctx, hold, async () => {
      // Not before the units are there: what is refused leaves no room behind.
      if (input.is_private && !room.record?.is_private) await makePrivate(ctx, input, asker);
      return writeReply(ctx, room, question, hold, signal);
    });
    const { roomId: id, messages, unsummarised } = stored;
    foldSummary(ctx.hub, { id, unsummarised }, accountIdOf(ctx.caller));
    const [, { content: reply, sender_name }] = messages;
    return { reply, sender_name, reply_id, quota: hold.quota };
  } finally {
    ctx.hub.replies.remove(reply_id);
    giveBackTurn();
  }
}

/** Not a guest whom a socket gave no cookie: that id is everybody's with their address and browser. */
const canOwn = ({ caller }: CallContext): boolean =>
  caller.kind !== "guest" || caller.guest.hasCookie;

/** A reply that is stored has settled its units in the same transaction; every other gives them back. */
async function settleOrRefund(
  ctx: CallContext,
  hold: QuotaHold,
  reply: () => Promise<StoredExchange>,
): Promise<StoredExchange> {
  try {
    return await reply();
  } catch (error) {
    // Where that fails too, the sweeper will do it; the caller is told why there is no reply.
    await refundQuota(ctx.db, hold).catch((cause: unknown) =>
      ctx.log.error({ err: cause }, "units were not given back yet"),
    );
    throw error;
  }
}
