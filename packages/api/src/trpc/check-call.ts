import type { TRPCProcedureType } from "@trpc/server";
import { assertVerified } from "../caller/assert-verified.ts";
import type { Caller } from "../caller/caller.ts";
import type { RequestContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { authorize } from "./authorize.ts";
import { rateRuleOf } from "./call-cost.ts";
import type { HubMeta } from "./procedure-meta.ts";

/** The parts of a procedure that the checks of a call read. */
export interface ProcedureKind {
  type: TRPCProcedureType;
  meta: HubMeta | undefined;
}

/**
 * Counts one call against the rate limits and checks the caller's rights. The transports run this
 * before they read a body (decisions §1, order of failures).
 * @throws HubError `rate_limited`, `csrf_rejected`, and the errors of {@link authorize}
 */
export async function checkCall(ctx: RequestContext, { type, meta }: ProcedureKind): Promise<void> {
  const caller = await ctx.identify();
  await ctx.limit(caller, rateRuleOf(meta, type));
  assertAllowed(ctx, caller, { type, meta });
}

/**
 * Checks the caller's rights, without a count against the rate limits.
 * @throws HubError `csrf_rejected`, and the errors of {@link authorize}
 */
export function assertAllowed(
  ctx: RequestContext,
  caller: Caller,
  { type, meta }: ProcedureKind,
): void {
  // JSON would make a file a third larger, so REST alone carries files.
  const isForFiles = meta?.takesFile !== undefined || meta?.sendsFile !== undefined;
  if (isForFiles && ctx.transport !== "rest") throw new HubError("not_found");
  authorize(caller, meta ?? {}, ctx);
  assertVerified(caller, meta ?? {}, ctx.hub.config);
  if (type === "mutation" && carriedByCookie(caller) && !ctx.sameOrigin) {
    throw new HubError("csrf_rejected");
  }
}

const carriedByCookie = (caller: Caller) =>
  caller.kind === "member" || (caller.kind === "guest" && caller.guest.hasCookie);
