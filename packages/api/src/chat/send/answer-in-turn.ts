import type { CallContext } from "../../context.ts";
import { type FailureCode, failureCodeOf, HubError } from "../../errors.ts";
import { giveBack, type QuotaHold } from "../../quota/quota-hold.service.ts";
import type { AddressedSoul } from "../addressing/addressed-souls.ts";
import type { RoomName } from "../rows/room-key.ts";
import type { StoredExchange } from "../storing/store-messages.ts";
import { type AcceptedMessage, firstTurn, nextTurn } from "./turns.ts";
import { type Turn, writeReply } from "./write-reply.ts";

/** A soul's reply, or the reason why it gave none. */
export type Outcome = AddressedSoul & { reply_id: string | null } & (
    | { stored: StoredExchange; error?: never }
    | { stored?: never; error: FailureCode }
  );

interface Answering {
  name: RoomName;
  message: AcceptedMessage;
  /** The quota units of each reply. */
  holds: readonly QuotaHold[];
  /** Aborts when the caller disconnects, which cancels the replies that are left. */
  disconnected: AbortSignal | undefined;
  /** Runs before the first reply. If it fails, the call fails. */
  prepare: () => Promise<void>;
}

/**
 * Lets the souls reply one after the other, each with the replies before it in its prompt (0041). A
 * reply that fails gives its units back.
 * @returns the outcome of each soul, the first of which has replied
 * @throws what {@link writeReply} throws for the first soul; nothing is stored then
 */
export async function answerInTurn(ctx: CallContext, answering: Answering): Promise<Outcome[]> {
  const { message, holds } = answering;
  const outcomes: Outcome[] = [];
  let before: StoredExchange | undefined;
  let questionId = 0;
  for (const [nth, soul] of message.souls.entries()) {
    const hold = holds[nth];
    if (!hold) throw new Error("A reply has no quota hold.");
    let turn: Turn | undefined;
    try {
      if (!before) await answering.prepare();
      turn = before
        ? await nextTurn(ctx, message, soul, { questionId, before })
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
  { name, message: { room }, disconnected }: Answering,
  turn: Turn,
  hold: QuotaHold,
): Promise<StoredExchange> {
  const { replies } = ctx.hub;
  const cancelled = new AbortController();
  const signals = [cancelled.signal, replies.stopped, disconnected];
  const signal = AbortSignal.any(signals.filter((given) => given !== undefined));
  replies.set(turn.reply_id, {
    roomKey: room.key,
    askerId: turn.sender.id,
    cancel: (code) => cancelled.abort(new HubError(code)),
  });
  try {
    return await writeReply(ctx, { name, room }, turn, hold, signal);
  } finally {
    replies.delete(turn.reply_id);
  }
}
