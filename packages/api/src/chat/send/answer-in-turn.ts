import { quotaSubject } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { type FailureCode, failureCodeOf, HubError } from "../../errors.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import { giveBack, type QuotaHold, reserveQuotas } from "../../quota/quota-hold.service.ts";
import type { AddressedSoul } from "../addressing/addressed-souls.ts";
import { makePrivate } from "../storing/make-private.ts";
import { STORING_SECONDS } from "../storing/retry-store.ts";
import type { StoredExchange } from "../storing/store-messages.ts";
import { type AcceptedMessage, acceptMessage } from "./accept-message.ts";
import { firstTurn, nextTurn } from "./turns.ts";
import { type Turn, writeReply } from "./write-reply.ts";

/** A soul's reply, or the reason why it gave none. */
export type Outcome = AddressedSoul & { reply_id: string | null } & (
    | { stored: StoredExchange; error?: never }
    | { stored?: never; error: FailureCode }
  );

interface Answers {
  /** The message as it was accepted last. */
  message: AcceptedMessage;
  /** The quota units of each reply. */
  holds: readonly QuotaHold[];
  /** The outcome of each soul, the first of which has replied. Empty if no soul replies. */
  outcomes: readonly Outcome[];
}

/**
 * Waits for a slot of the model calls and reserves the quota units. Then the souls reply one after
 * the other, each with the replies before it in its prompt (0041). A reply that fails gives its
 * units back.
 * @param disconnected aborts when the caller disconnects, which cancels the replies that are left
 * @throws HubError those of acceptMessage after a wait, `overloaded`, `shutting_down`,
 *   `quota_exceeded`
 * @throws what {@link writeReply} throws for the first soul; nothing is stored then
 */
export async function answerInTurn(
  ctx: CallContext,
  accepted: AcceptedMessage,
  disconnected: AbortSignal | undefined,
): Promise<Answers> {
  if (accepted.souls.length === 0) return { message: accepted, holds: [], outcomes: [] };
  const subject = quotaSubject(ctx.caller);
  const mustWait = !ctx.hub.modelCalls.canRun(subject);
  using _slot = await ctx.hub.modelCalls.acquire(subject, cancelledBy(ctx, disconnected));
  // The room and the caller's permissions may have changed during the wait for a slot.
  const message = mustWait ? await acceptMessage(ctx, accepted.input, accepted.image) : accepted;
  if (message.souls.length === 0) return { message, holds: [], outcomes: [] };
  const holds = await reserveUnits(ctx, message);
  return { message, holds, outcomes: await replyInTurn(ctx, { message, holds, disconnected }) };
}

const cancelledBy = (ctx: CallContext, ...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any([ctx.hub.replies.stopped, ...signals.filter((it) => it !== undefined)]);

/** Reserves the units of each reply. A call refused for its quota creates no room. */
function reserveUnits(ctx: CallContext, { input, image, souls }: AcceptedMessage) {
  const { limits } = quotaAccount(ctx);
  const { routes, longestCallMs } = ctx.hub.models;
  const secondsOfReply = Math.ceil(longestCallMs / 1_000) + STORING_SECONDS;
  const wanted = {
    units: (input.deep_think && limits.deep_think_cost) || 1,
    wantsPremium: !image && routes.premium !== null && limits.premium_limit > 0,
    // The hold of the last reply outlives all replies before it.
    holdSeconds: secondsOfReply * souls.length,
  };
  return reserveQuotas(ctx, wanted, souls.length);
}

interface Answering extends Pick<Answers, "message" | "holds"> {
  disconnected: AbortSignal | undefined;
}

async function replyInTurn(ctx: CallContext, answering: Answering): Promise<Outcome[]> {
  const { message, holds } = answering;
  const outcomes: Outcome[] = [];
  let before: StoredExchange | undefined;
  let questionId = 0;
  for (const [nth, soul] of message.souls.entries()) {
    const hold = holds[nth];
    if (!hold) throw new Error("A reply has no quota hold.");
    let turn: Turn | undefined;
    try {
      if (!before) await makePrivate(ctx, message.input, message.room);
      turn = before
        ? await nextTurn(ctx, message, soul, { questionId, before, holdId: hold.id })
        : firstTurn(message, soul);
      const stored = await cancellable(ctx, answering, turn, hold);
      questionId ||= stored.questionId;
      before = stored;
      outcomes.push({ ...turn, stored });
    } catch (error) {
      if (!before) {
        await Promise.all(holds.map((reserved) => giveBack(ctx, reserved)));
        throw error;
      }
      // A stored reply has settled its units in the same transaction.
      await giveBack(ctx, hold);
      const code = failureCodeOf(error);
      // The caller learns the code only.
      if (code === "internal") ctx.log.error({ err: error }, "a further reply failed");
      outcomes.push({ ...soul, reply_id: turn?.reply_id ?? null, error: code });
    }
  }
  return outcomes;
}

/** Writes a reply which its requester and the room's owner can cancel. */
async function cancellable(
  ctx: CallContext,
  { message: { input, room }, disconnected }: Answering,
  turn: Turn,
  hold: QuotaHold,
): Promise<StoredExchange> {
  const { replies } = ctx.hub;
  const cancelled = new AbortController();
  replies.set(turn.reply_id, {
    roomKey: room.key,
    askerId: turn.sender.id,
    cancel: (code) => cancelled.abort(new HubError(code)),
  });
  try {
    const signal = cancelledBy(ctx, cancelled.signal, disconnected);
    return await writeReply(ctx, { name: input, room }, turn, hold, signal);
  } finally {
    replies.delete(turn.reply_id);
  }
}
