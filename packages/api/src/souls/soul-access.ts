import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import type { SoulRecord } from "./soul.queries.ts";

/** The owner's account id against the caller's; guests own nothing. */
export const isOwner = ({ caller }: Pick<CallContext, "caller">, soul: { user_id: number }) =>
  "account" in caller && caller.account.id === soul.user_id;

/**
 * A soul that this caller may see: public ones and one's own. A private soul of somebody else
 * is `soul_not_found`, like one that never was (decisions §1, 404).
 */
export async function visibleSoul(ctx: CallContext, id: number): Promise<SoulRecord> {
  const soul = await ctx.hub.souls.byId(id);
  if (!soul || (soul.is_public !== 1 && !isOwner(ctx, soul))) throw new HubError("soul_not_found");
  return soul;
}
