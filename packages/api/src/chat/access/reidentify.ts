import { assertStanding } from "../../caller/assert-standing.ts";
import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";

/**
 * Looks up the caller of a long call again. Meanwhile its API key may be revoked, its session may
 * have ended, or its account may be suspended.
 * @throws HubError `unauthenticated`, `account_suspended`
 */
export async function reidentify(ctx: CallContext): Promise<CallContext> {
  // A guest needs no second lookup, because its cookie and address cannot be revoked.
  const caller = ctx.caller.kind === "guest" ? ctx.caller : await ctx.identify("again");
  const isRevoked = caller.kind === "refused" || caller.kind === "admin";
  if (isRevoked || participantId(caller) !== participantId(ctx.caller)) {
    throw new HubError("unauthenticated");
  }
  assertStanding(caller, {});
  return { ...ctx, caller };
}
