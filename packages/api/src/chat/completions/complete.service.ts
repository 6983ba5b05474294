import { type AccountContext, participantId, quotaSubject } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import type { QuotaHold } from "../../quota/quota-hold.service.ts";
import { usableSoul } from "../../souls/soul-access.ts";
import { disconnectSignal } from "../byok/disconnect-signal.ts";
import type { ModelPort, ModelRoute } from "../models/model-port.ts";
import type { AppCall, AppReply } from "./app-call.ts";
import { buildAppPrompt } from "./app-prompt.ts";
import { assertOwnSize, countChars, unitsOf } from "./call-size.ts";
import { holdUnits, meteredReply } from "./metered-reply.ts";
import { ownModelsOf } from "./payer.ts";

/**
 * Answers one stateless call of an app: nothing is stored (0051). Pieces of the reply go to
 * `ctx.onDelta`.
 * @param disconnected aborts when the app disconnects, which cancels the call and refunds its units
 * @throws HubError `soul_not_found`, `scope_missing`, `nft_required`, `chain_unavailable`;
 *   `pass_required`, `pass_expired`, `byok_inactive`, `byok_key_rejected`; `input_too_long`,
 *   `image_not_allowed`, `deep_think_not_allowed`; `quota_exceeded`; `cancelled`, `provider_failed`,
 *   `provider_timeout`, `overloaded`, `shutting_down`
 */
export async function completeForApp(
  ctx: AccountContext,
  call: AppCall,
  disconnected: AbortSignal | undefined,
): Promise<AppReply> {
  const { modelCalls, replies } = ctx.hub;
  const promptChars = countChars(call);
  let authorized = await authorize(ctx, call, promptChars);

  using cancelled = disconnectSignal(disconnected);
  const signal = AbortSignal.any([cancelled.signal, replies.stopped]);
  const subject = quotaSubject(ctx.caller);
  const payer = authorized.ownModels ? "own" : "platform";
  const mustWait = !modelCalls.canRun(subject, payer);
  using _slot = await modelCalls.acquire(subject, signal, payer);
  // The soul, the caller's rights and the provider key may have changed while the call waited.
  if (mustWait) authorized = await authorize(ctx, call, promptChars);
  const { soul, ownModels, units } = authorized;
  const payment = ownModels ? { ownModels } : await reserve(ctx, call, units);
  const isPremium = "premium" in payment && payment.premium;
  const route: ModelRoute = hasImage(call) ? "vision" : isPremium ? "premium" : "text";
  const request = {
    ...buildAppPrompt({ vault: ctx.hub.vault, scope: participantId(ctx.caller) }, soul, call),
    route,
    deepThink: call.deepThink,
    signal,
  };
  const { text, usage } = await meteredReply(ctx, request, payment);
  return { text, end: usage, promptChars };
}

interface Authorized {
  soul: Awaited<ReturnType<typeof usableSoul>>;
  /** Null if the platform pays. */
  ownModels: ModelPort | null;
  /** The units that the call costs the platform's payer. */
  units: number;
}

async function authorize(ctx: AccountContext, call: AppCall, chars: number): Promise<Authorized> {
  const soul = await usableSoul(ctx, call.soul_id);
  const ownModels = await ownModelsOf(ctx, {
    ownProvider: call.ownProvider,
    hasImage: hasImage(call),
  });
  if (ownModels) {
    assertOwnSize(chars);
    return { soul, ownModels, units: 0 };
  }
  const { limits } = quotaAccount(ctx);
  if (hasImage(call) && !limits.allow_image) throw new HubError("image_not_allowed");
  if (call.deepThink && !limits.deep_think_cost) throw new HubError("deep_think_not_allowed");
  const cost = (call.deepThink && limits.deep_think_cost) || 1;
  return { soul, ownModels, units: unitsOf(chars, limits.max_input_chars) * cost };
}

const hasImage = ({ messages }: AppCall): boolean =>
  messages.some((message) => message.role === "user" && message.image !== undefined);

function reserve(ctx: AccountContext, call: AppCall, units: number): Promise<QuotaHold> {
  const { premium_limit } = quotaAccount(ctx).limits;
  const hasPremium = ctx.hub.models.routes.premium !== null && premium_limit > 0;
  return holdUnits(ctx, { units, wantsPremium: !hasImage(call) && hasPremium });
}
