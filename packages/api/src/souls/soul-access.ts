import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { ownsTokenOf } from "../wallet/nft-gate.ts";
import type { SoulRecord } from "./soul.queries.ts";

type Asker = Pick<CallContext, "hub" | "caller">;

/** The owner's account id against the caller's; guests own nothing. */
export const isOwner = ({ caller }: Pick<CallContext, "caller">, soul: { user_id: number }) =>
  "account" in caller && caller.account.id === soul.user_id;

/**
 * Lets public souls and one's own through. A private soul of somebody else is `soul_not_found`,
 * like one that never was (decisions §1, 404).
 */
export function assertVisible<Row extends { user_id: number; is_public: number }>(
  ctx: Pick<CallContext, "caller">,
  soul: Row | undefined,
): Row {
  if (!soul || (soul.is_public !== 1 && !isOwner(ctx, soul))) throw new HubError("soul_not_found");
  return soul;
}

/** What whoever may see a soul may know of it. Its text is for those who may use it. */
export type VisibleSoul = Omit<SoulRecord, "content">;

/** A soul that this caller may see. @throws HubError `soul_not_found` */
export const visibleSoul = async (ctx: Asker, id: number): Promise<VisibleSoul> =>
  assertVisible(ctx, await ctx.hub.souls.byId(id));

interface GatedSoul {
  user_id: number;
  nft_contract: string | null;
}

/**
 * The one answer to "may this caller use this soul?" (decisions §4, NFT gate): its owner, everybody
 * where there is no gate, and whoever owns a token of its contract.
 * @param freshMs how old a kept yes of the chain may be; as old as it is kept
 * @throws HubError `chain_unavailable`
 */
export const mayUse = (ctx: Asker, soul: GatedSoul, freshMs?: number): true | Promise<boolean> =>
  soul.nft_contract === null || isOwner(ctx, soul) || ownsTokenOf(ctx, soul.nft_contract, freshMs);

/** A soul that this caller may use. @throws HubError `soul_not_found`, `nft_required`, `chain_unavailable` */
export async function usableSoul(ctx: Asker, id: number, freshMs?: number): Promise<SoulRecord> {
  const soul = assertVisible(ctx, await ctx.hub.souls.byId(id));
  const answer = mayUse(ctx, soul, freshMs);
  // An ungated soul waits for nothing more.
  if (answer !== true && !(await answer)) throw nftRequired(soul);
  return soul;
}

export const nftRequired = ({ nft_contract }: GatedSoul): HubError =>
  new HubError("nft_required", {
    message: `This soul is for who owns a token of ${nft_contract}, in a verified wallet.`,
  });

/** The soul as this caller may read it: without its text where a gate keeps that from them. */
export async function readableSoul(ctx: Asker, id: number): Promise<SoulRecord> {
  const soul = assertVisible(ctx, await ctx.hub.souls.byId(id));
  const answer = mayUse(ctx, soul);
  return answer === true || (await answer) ? soul : { ...soul, content: "", content_hidden: true };
}
