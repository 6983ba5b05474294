import { sql } from "kysely";
import type { AccountContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { averageRating } from "../souls/average-rating.ts";
import { textColumns } from "../souls/change-soul.ts";
import { isOwner, nftRequired, usableSoul, visibleSoul } from "../souls/soul-access.ts";
import { lockVisibleSoul } from "../souls/soul-lock.ts";
import { addSoul, soulUrl } from "../souls/souls.service.ts";

/**
 * What the caller thinks of a soul so far.
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
 * Likes, or takes the like back (specification §3, Soul like), under the soul's lock, in one function
 * of the database (db/migrations/0017).
 * @throws HubError `soul_not_found`
 */
export async function toggleLike(ctx: AccountContext, soulId: number) {
  const { rows } = await sql<{ soul_title: string | null; liked: boolean }>`
    select * from toggle_like(${soulId}, ${ctx.caller.account.id})`.execute(ctx.db);
  const { soul_title: title = null, liked = false } = rows[0] ?? {};
  if (title === null) throw new HubError("soul_not_found");
  return { liked, message: liked ? `You like “${title}”.` : `You no longer like “${title}”.` };
}

interface NewRating {
  soul_id: number;
  rating: number;
}

/**
 * One rating per account: the newer replaces the older (specification §4.5).
 * @throws HubError `soul_not_found`
 */
export async function rateSoul(ctx: AccountContext, { soul_id, rating }: NewRating) {
  const userId = ctx.caller.account.id;
  const ratings = await ctx.db.transaction().execute(async (tx) => {
    await lockVisibleSoul(ctx, tx, soul_id);
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
 * An independent copy of a public soul, for the caller alone until they publish it (decisions §7).
 * It takes the gate along (decisions §4).
 * @throws HubError `soul_not_found`, `nft_required`, `chain_unavailable`, `soul_not_public` for a
 *   private soul of one's own
 */
export async function forkSoul(ctx: AccountContext, soulId: number) {
  const { nft_contract } = await usableSoul(ctx, soulId);
  const { id, title } = await ctx.db.transaction().execute(async (tx) => {
    const soul = await lockVisibleSoul(ctx, tx, soulId);
    if (soul.is_public !== 1) throw new HubError("soul_not_public");
    // The chain was asked before the lock: of another gate, put up meanwhile, nothing is known.
    const isOpen = soul.nft_contract === null || soul.nft_contract === nft_contract;
    if (!isOpen && !isOwner(ctx, soul)) throw nftRequired(soul);
    const original = await tx
      .updateTable("souls")
      .set({ fork_count: sql<number>`fork_count + 1` })
      .where("id", "=", soulId)
      .returning([...textColumns, "nft_contract"])
      .executeTakeFirstOrThrow();
    const copy = { ...original, is_public: 0, forked_from: soulId };
    return { id: await addSoul(tx, ctx.caller.account.id, copy), title: original.title };
  });
  return {
    new_soul_id: id,
    url: soulUrl(ctx, id),
    message: `“${title}” is forked. The copy is yours alone until you publish it.`,
  };
}
