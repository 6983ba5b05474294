import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import type { SoulRecord } from "./soul.queries.ts";

/** The owner's account id against the caller's; guests own nothing. */
export const isOwner = ({ caller }: Pick<CallContext, "caller">, soul: { user_id: number }) =>
  "account" in caller && caller.account.id === soul.user_id;

/**
 * Lets public souls and one's own through. A private soul of somebody else is `soul_not_found`,
 * like one that never was (decisions §1, 404).
 */
export function assertVisible<Row extends { user_id: number; is_public: number }>(
  ctx: CallContext,
  soul: Row | undefined,
): Row {
  if (!soul || (soul.is_public !== 1 && !isOwner(ctx, soul))) throw new HubError("soul_not_found");
  return soul;
}

/** A soul that this caller may see. @throws HubError `soul_not_found` */
export const visibleSoul = async (ctx: CallContext, id: number): Promise<SoulRecord> =>
  assertVisible(ctx, await ctx.hub.souls.byId(id));
