import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { AccountContext, CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { listColumns, toListEntry } from "./soul.queries.ts";

export type SoulSort = "newest" | "popular" | "rating" | "forks" | "updated";

interface SoulListQuestion {
  q: string;
  role: string;
  sort?: SoulSort | undefined;
  limit: number;
  offset: number;
}

/** `total` is counted this far and no further: what lies behind can't be reached (offset ≤ 10,000, limit ≤ 100). */
const MAX_TOTAL = 10_100;

/** Public souls (specification §4.4, GET /api/souls). */
export async function listSouls({ hub, db }: CallContext, question: SoulListQuestion) {
  // Equal questions of one turn of the event loop share one answer; none is kept.
  return hub.souls.list(JSON.stringify(question), () => readPublicSouls(db, question));
}

async function readPublicSouls(db: Db, { q, role, sort, limit, offset }: SoulListQuestion) {
  const search = searchFor(q);
  let matching = db.selectFrom("souls").where("souls.is_public", "=", sql.lit(1));
  if (role) matching = matching.where("souls.role", "=", role);
  if (search) matching = matching.where(search.matches);

  // The page is cut before its owners are joined: the joins then cost `limit` look-ups, not all.
  let page = matching.select("souls.id");
  if (search) page = page.orderBy(search.titleTier);
  if (search && !sort) page = page.orderBy(search.relevance, "desc");
  for (const [key, direction] of orders[sort ?? (search ? "popular" : "newest")]) {
    page = page.orderBy(key, direction);
  }
  const ids = await page.limit(limit).offset(offset).execute();
  const [rows, total] = await Promise.all([
    db
      .selectFrom("souls")
      .innerJoin("accounts", "accounts.id", "souls.user_id")
      .select(listColumns)
      .where("souls.id", "=", sql<number>`any(${ids.map(({ id }) => id)}::bigint[])`)
      .execute(),
    db
      .selectFrom(matching.select(sql`1`.as("one")).limit(MAX_TOTAL).as("counted"))
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow(),
  ]);
  const byId = new Map(rows.map((row) => [row.id, toListEntry(row)]));
  const data = ids.flatMap(({ id }) => byId.get(id) ?? []);
  return { count: data.length, total: total.total, data };
}

type OrderKey =
  | "souls.id"
  | "souls.like_count"
  | "souls.fork_count"
  | "souls.updated_at"
  | RawBuilder<unknown>;

const average = sql`(souls.rating_sum::float8 / greatest(souls.rating_count, 1))`;

/** Decisions §2: `popular` is likes, then forks; ties everywhere: the newer id first. Each has its index. */
const orders: Record<SoulSort, ReadonlyArray<readonly [OrderKey, "desc"]>> = {
  newest: [["souls.id", "desc"]],
  popular: [
    ["souls.like_count", "desc"],
    ["souls.fork_count", "desc"],
    ["souls.id", "desc"],
  ],
  rating: [
    [average, "desc"],
    [sql`souls.rating_count`, "desc"],
    ["souls.id", "desc"],
  ],
  forks: [
    ["souls.fork_count", "desc"],
    ["souls.id", "desc"],
  ],
  updated: [
    ["souls.updated_at", "desc"],
    ["souls.id", "desc"],
  ],
};

interface Search {
  matches: Expression<SqlBool>;
  /** 0 the exact title, 1 a title that begins so, 2 anything else. */
  titleTier: Expression<number>;
  relevance: Expression<number>;
}

/**
 * Words in title, description, domain and role, the last one also unfinished (search as you type),
 * or the text anywhere in a title. Nothing in it is an operator (decisions §2, `q`).
 */
function searchFor(q: string): Search | null {
  const text = q.trim().toLowerCase();
  if (!text) return null;
  const inLike = text.replace(/[\\%_]/g, "\\$&");
  // plainto_tsquery drops every operator; the prefix mark is put on what it made of the words.
  const words = sql`(nullif(plainto_tsquery('simple', ${text})::text, '') || ':*')::tsquery`;
  return {
    matches: sql<SqlBool>`(souls.search @@ ${words} or lower(souls.title) like ${`%${inLike}%`})`,
    titleTier: sql<number>`case when lower(souls.title) = ${text} then 0 when lower(souls.title) like ${`${inLike}%`} then 1 else 2 end`,
    relevance: sql<number>`coalesce(ts_rank(souls.search, ${words}), 0)`,
  };
}

/** The caller's own souls, private ones too (decisions §2, GET /api/my-souls). */
export async function listMySouls(
  { db, caller }: AccountContext,
  { limit, offset }: { limit: number; offset: number },
) {
  const mine = db.selectFrom("souls").where("souls.user_id", "=", caller.account.id);
  const rows = await mine
    .innerJoin("accounts", "accounts.id", "souls.user_id")
    .select([...listColumns, "souls.is_public"])
    .orderBy("souls.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await mine
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { count: rows.length, total, data: rows.map(toListEntry) };
}
