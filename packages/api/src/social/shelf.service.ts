import { sql } from "kysely";
import { accountIdOf } from "../caller/caller.ts";
import { mayRead } from "../caller/own-data.ts";
import type { CallContext } from "../context.ts";
import { largestFirst, soulOrders } from "../souls/search/soul-orders.ts";

/** The most souls of a shelf, and of the caller's own and liked ones on it. */
const MAX_SOULS = 200;
const MAX_OWN = 100;
const MAX_LIKED = 100;
const MAX_FOR_GUESTS = 100;

export interface ShelfSoul {
  id: number;
  title: string;
  description: string;
  /** The owner's. */
  username: string;
  created_at: string;
}

/**
 * Lists the souls for a client that cannot search: the caller's own, then the liked ones, then the
 * most popular ones. Gated souls of others are left out, since the caller may be unable to use them.
 * Guests get popular souls. A named key sees private souls only with the scope `souls:read`, and
 * which souls are liked only with `social`.
 */
export async function readShelf(ctx: CallContext): Promise<ShelfSoul[]> {
  const account = accountIdOf(ctx.caller);
  if (account === null) return readOpenShelf(ctx);
  const [own, liked, others] = await Promise.all([
    ownSouls(ctx, account).execute(),
    mayRead(ctx.caller, "social") ? likedSouls(ctx, account).execute() : [],
    popular(ctx, MAX_SOULS).execute(),
  ]);
  const byId = new Map([...own, ...liked, ...others].map((soul) => [soul.id, soul]));
  return [...byId.values()].slice(0, MAX_SOULS);
}

/** Lists popular souls that everyone may read: the shelf of guests. */
export const readOpenShelf = (ctx: Pick<CallContext, "hub" | "db">): Promise<ShelfSoul[]> =>
  ctx.hub.souls.list("shelf", () => popular(ctx, MAX_FOR_GUESTS).execute());

const columns = [
  "souls.id",
  "souls.title",
  "souls.description",
  "souls.created_at",
  "accounts.username",
] as const;

const shelfSouls = ({ db }: Pick<CallContext, "db">) =>
  db.selectFrom("souls").innerJoin("accounts", "accounts.id", "souls.user_id").select(columns);

function ownSouls(ctx: CallContext, account: number) {
  const own = shelfSouls(ctx)
    .where("souls.user_id", "=", account)
    .orderBy("souls.id", "desc")
    .limit(MAX_OWN);
  return mayRead(ctx.caller, "souls") ? own : own.where("souls.is_public", "=", sql.lit(1));
}

const likedSouls = (ctx: CallContext, account: number) =>
  shelfSouls(ctx)
    .innerJoin("likes", "likes.soul_id", "souls.id")
    .where("likes.user_id", "=", account)
    .where("souls.is_public", "=", sql.lit(1))
    .where("souls.nft_contract", "is", null)
    .orderBy("likes.created_at", "desc")
    .orderBy("souls.id", "desc")
    .limit(MAX_LIKED);

const popular = (ctx: Pick<CallContext, "db">, limit: number) =>
  shelfSouls(ctx)
    .where("souls.is_public", "=", sql.lit(1))
    .where("souls.is_listed", "=", true)
    .where("souls.nft_contract", "is", null)
    .orderBy(largestFirst(soulOrders.popular))
    .limit(limit);
