import type { AccountContext } from "../../caller/caller.ts";
import {
  giveBack,
  type QuotaHold,
  reserveQuota,
  settleQuota,
} from "../../quota/quota-hold.service.ts";
import type { ModelPort, ModelRequest } from "../models/model-port.ts";
import { streamReply } from "../send/stream-reply.ts";
import type { WholeReply } from "../usage/model-usage.ts";

/** Seconds for which a hold outlives the longest call, to settle it. */
const SETTLING_SECONDS = 60;

/** Reserves the units of one stateless call. @throws HubError `quota_exceeded` */
export const holdUnits = (
  ctx: AccountContext,
  wanted: { units: number; wantsPremium: boolean },
): Promise<QuotaHold> => {
  const holdSeconds = Math.ceil(ctx.hub.models.longestCallMs / 1_000) + SETTLING_SECONDS;
  return reserveQuota(ctx, { ...wanted, holdSeconds });
};

/**
 * Streams the reply of a stateless call. A written reply keeps its units, and a failed one gives
 * them back.
 * @param payment the reserved units, or the models of the account's own provider
 * @throws what `ModelPort.stream` throws
 */
export async function meteredReply(
  ctx: AccountContext,
  request: ModelRequest,
  payment: QuotaHold | { ownModels: ModelPort },
): Promise<WholeReply> {
  if ("ownModels" in payment) return streamReply(ctx, request, payment);
  try {
    const reply = await streamReply(ctx, request, {});
    await settle(ctx, payment);
    return reply;
  } catch (error) {
    await giveBack(ctx, payment);
    throw error;
  }
}

/** A reply that is written is answered, even if its units cannot be settled; they are refunded then. */
const settle = ({ db, log }: AccountContext, hold: QuotaHold): Promise<void> =>
  settleQuota(db, hold).catch((cause: unknown) =>
    log.error({ err: cause }, "a quota hold was not settled; the sweeper will refund it"),
  );
