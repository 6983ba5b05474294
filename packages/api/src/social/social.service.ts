import { sql } from "kysely";
import { assertNotBlocked } from "../accounts/blocks/blocks.service.ts";
import { shareAccount } from "../accounts/standing/standing.queries.ts";
import type { AccountContext } from "../caller/caller.ts";
import { HubError } from "../errors.ts";
import { textColumns } from "../souls/change-soul.ts";
import { averageRating } from "../souls/soul.queries.ts";
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
 * Adds or removes the caller's like (specification §3, Soul like). The SQL function `toggle_like`
 * changes like and counter in one statement, under a row lock of the soul.
 * @throws HubError `soul_not_found`, `blocked`
 */
export async function toggleLike(ctx: AccountContext, soulId: number) {
  const liker = ctx.caller.account.id;
  const { rows } = await sql<{ is_blocked: boolean; soul_title: string | null; liked: boolean }>`
    select is_blocked, soul_title, liked
    from (select exists (
        select from souls join blocks on blocks.blocker_id = souls.user_id
        where souls.id = ${soulId} and souls.is_public = 1 and blocked_id = ${liker}) as is_blocked
      ) as block
    cross join lateral toggle_like(
      of_soul => case when not is_blocked then ${soulId}::bigint end, liker => ${liker})`.execute(
    ctx.db,
  );
  const { is_blocked = false, soul_title: title = null, liked = false } = rows[0] ?? {};
  if (is_blocked) throw new HubError("blocked");
  if (title === null) throw new HubError("soul_not_found");
  return { liked, message: liked ? `You like “${title}”.` : `You no longer like “${title}”.` };
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
  const userId = ctx.caller.account.id;
  const ratings = await ctx.db.transaction().execute(async (tx) => {
    const { user_id } = await lockVisibleSoul(ctx, tx, soul_id);
    await assertNotBlocked(tx, user_id, ctx);
    const before = await tx
      .selectFrom("ratings")
      .select("rating")
      .where("soul_id", "=", soul_id)
      .where("user_id", "=", userId)
      .executeTakeFirst();
    await tx
      .insertInto("ratings")
      .values({ soul_id, user_id: userId, rating })
      .onConflict((conflict) =>
        conflict
          .columns(["soul_id", "user_id"])
          .doUpdateSet({ rating, rated_at: sql<string>`hub_now()` }),
      )
      .execute();
    return tx
      .updateTable("souls")
      .set({
        rating_sum: sql<number>`rating_sum + ${rating - (before?.rating ?? 0)}::int`,
        rating_count: sql<number>`rating_count + ${before ? 0 : 1}::int`,
      })
      .where("id", "=", soul_id)
      .returning(["rating_sum", "rating_count"])
      .executeTakeFirstOrThrow();
  });
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
