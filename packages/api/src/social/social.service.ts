import { sql } from "kysely";
import { assertNotBlocked } from "../accounts/blocks/blocks.service.ts";
import { shareAccount } from "../accounts/standing/standing.queries.ts";
import type { AccountContext } from "../caller/caller.ts";
import { callOrRefuse } from "../db/sql-functions.ts";
import { HubError } from "../errors.ts";
import { textColumns } from "../souls/change-soul.ts";
import { averageRating, type Ratings } from "../souls/soul.queries.ts";
import { isOwner, nftRequired, usableSoul, visibleSoul } from "../souls/soul-access.ts";
import { lockVisibleSoul } from "../souls/soul-lock.ts";
import { addSoul, soulUrl } from "../souls/souls.service.ts";

/**
 * Reads the caller's own like and rating of a soul (0006).
 * @returns `rating` from 1 to 5, or null
 * @throws HubError `soul_not_found`
 */
export async function readMarks(ctx: AccountContext, soulId: number) {
  await visibleSoul(ctx, soulId);
  const userId = ctx.caller.account.id;
  const { rows } = await sql<{ liked: boolean; rating: number | null }>`
    select
      exists (select from likes where soul_id = ${soulId} and user_id = ${userId}) as liked,
      (select rating from ratings where soul_id = ${soulId} and user_id = ${userId}) as rating`.execute(
    ctx.db,
  );
  return rows[0] ?? { liked: false, rating: null };
}

/**
 * Adds or removes the caller's like (specification §3, Soul like).
 * @throws HubError `soul_not_found`, `blocked`
 */
export async function toggleLike(ctx: AccountContext, soulId: number) {
  const { soul_title, liked } = await callOrRefuse<{ soul_title: string; liked: boolean }>(
    ctx.db,
    "set_like",
    { of_soul: soulId, liker: ctx.caller.account.id },
  );
  const message = liked ? `You like “${soul_title}”.` : `You no longer like “${soul_title}”.`;
  return { liked, message };
}

/**
 * Stores the caller's rating of a soul, in place of an earlier one of the same account (specification
 * §4.5).
 * @returns a message and the new aggregates of the soul
 * @throws HubError `soul_not_found`, `blocked`
 */
export async function rateSoul(
  ctx: AccountContext,
  { soul_id, rating }: { soul_id: number; rating: number },
) {
  const args = { of_soul: soul_id, rater: ctx.caller.account.id, stars: rating };
  const ratings = await callOrRefuse<Ratings>(ctx.db, "set_rating", args);
  return {
    message: `Your rating is ${rating} of 5.`,
    avg_rating: averageRating(ratings),
    total_ratings: ratings.rating_count,
  };
}

/**
 * Copies a public soul into the caller's workspace (decisions §7). The copy starts private and keeps
 * the NFT gate (decisions §4, NFT gate).
 * @throws HubError `soul_not_found`, `nft_required`, `chain_unavailable`, `blocked`, or
 *   `soul_not_public` for the caller's own private soul
 */
export async function forkSoul(ctx: AccountContext, soulId: number) {
  const { nft_contract } = await usableSoul(ctx, soulId);
  const { id, title } = await ctx.db.transaction().execute(async (tx) => {
    await shareAccount(tx, ctx.caller.account.id);
    const soul = await lockVisibleSoul(ctx, tx, soulId);
    await assertNotBlocked(tx, soul.user_id, ctx);
    if (soul.is_public !== 1) throw new HubError("soul_not_public");
    // The wallet was checked before the lock. If another gate was set since then, only the owner
    // may fork.
    const isOpen = soul.nft_contract === null || soul.nft_contract === nft_contract;
    if (!isOpen && !isOwner(ctx, soul)) throw nftRequired(soul);
    const original = await tx
      .updateTable("souls")
      .set({ fork_count: sql<number>`fork_count + 1` })
      .where("id", "=", soulId)
      .returning([...textColumns, "nft_contract", "package_id"])
      .executeTakeFirstOrThrow();
    const copy = { ...original, is_public: 0, forked_from: soulId };
    return { id: await addSoul(tx, ctx.caller.account.id, copy), title: original.title };
  });
  return {
    new_soul_id: id,
    url: soulUrl(ctx, id),
    message: `“${title}” is forked. The copy is private until you publish it.`,
  };
}
