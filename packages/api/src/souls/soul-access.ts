import { assertMayRead } from "../caller/own-data.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { ownsTokenOf } from "../wallet/nft-gate.ts";
import { sha256 } from "./packages/packages.queries.ts";
import type { SoulRecord } from "./soul.queries.ts";
import type { Soul } from "./souls.schema.ts";
import { versionDigest } from "./version/version-digest.ts";

type ViewerContext = Pick<CallContext, "hub" | "caller">;

/** Reports whether the caller owns a soul. False for guests, since only accounts own souls. */
export const isOwner = ({ caller }: Pick<CallContext, "caller">, soul: { user_id: number }) =>
  "account" in caller && caller.account.id === soul.user_id;

/**
 * Returns the soul if it is public or the caller owns it. Another account's private soul is answered
 * like a missing one, so that its existence is not revealed (decisions §1).
 * @throws HubError `soul_not_found`
 */
export function assertVisible<Row extends { user_id: number; is_public: number }>(
  ctx: Pick<CallContext, "caller">,
  soul: Row | undefined,
): Row {
  if (!soul || (soul.is_public !== 1 && !isOwner(ctx, soul))) throw new HubError("soul_not_found");
  return soul;
}

/**
 * Reads a soul. A named key reads its owner's private souls only with the scope `souls:read` (0050).
 * @throws HubError `soul_not_found`, `scope_missing`
 */
async function readVisible(ctx: ViewerContext, id: number): Promise<SoulRecord> {
  const soul = assertVisible(ctx, await ctx.hub.souls.byId(id));
  if (soul.is_public !== 1) assertMayRead(ctx.caller, "souls");
  return soul;
}

/**
 * Reads a soul. The type omits `content`, which callers outside an NFT gate may not read.
 * @throws HubError `soul_not_found`
 */
export const visibleSoul: (ctx: ViewerContext, id: number) => Promise<Omit<SoulRecord, "content">> =
  readVisible;

interface GatedSoul {
  user_id: number;
  nft_contract: string | null;
}

/**
 * Reports whether the caller may use a soul (decisions §4, NFT gate). Every caller may use a soul
 * without a gate. A gated soul may be used by its owner and by holders of an NFT of its contract.
 * @param freshMs the maximum age in milliseconds of a cached answer that the caller holds an NFT
 * @throws HubError `chain_unavailable`
 */
export const mayUse = async (
  ctx: ViewerContext,
  soul: GatedSoul,
  freshMs?: number,
): Promise<boolean> =>
  soul.nft_contract === null || isOwner(ctx, soul) || ownsTokenOf(ctx, soul.nft_contract, freshMs);

/**
 * Reads a soul for use in a chat.
 * @throws HubError `soul_not_found`, `nft_required`, `chain_unavailable`
 */
export async function usableSoul(
  ctx: ViewerContext,
  id: number,
  freshMs?: number,
): Promise<SoulRecord> {
  const soul = await readVisible(ctx, id);
  if (!(await mayUse(ctx, soul, freshMs))) throw nftRequired(soul);
  return soul;
}

export const nftRequired = ({ nft_contract }: GatedSoul): HubError =>
  new HubError("nft_required", {
    message: `Only holders of an NFT of ${nft_contract}, in a verified wallet, can use this soul.`,
  });

/**
 * Reads a soul. Behind an NFT gate that the caller does not pass, `content` is empty, and its hashes
 * and `signature` are null, because a signature contains the digest. The author of a soul that staff
 * have hidden reads why (0062).
 * @throws HubError `soul_not_found`, `chain_unavailable`
 */
export async function readableSoul(
  ctx: ViewerContext,
  id: number,
): Promise<Soul & Pick<SoulRecord, "package_id" | "nickname">> {
  const soul = await readVisible(ctx, id);
  if (soul.is_public !== 1) {
    // Only its author gets here.
    const moderation = await ctx.hub.moderationOfSoul(id);
    return { ...withDigest(soul), ...(moderation && { moderation }) };
  }
  if (await mayUse(ctx, soul)) return withDigest(soul);
  const hidden = { digest: null, content_sha256: null, signature: null };
  return { ...soul, content: "", content_hidden: true, ...hidden };
}

/** Adds the hashes of the present state, which are computed on each read (0036). */
export const withDigest = <Row extends SoulRecord>(soul: Row) => ({
  ...soul,
  digest: versionDigest(soul),
  content_sha256: sha256(soul.content),
});
