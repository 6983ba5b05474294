import { sql } from "kysely";
import type { AccountContext } from "../caller/caller.ts";
import type { CallContext } from "../context.ts";
import type { Db } from "../db/database.ts";
import { searchInStages } from "./search/search-in-stages.ts";
import { type SoulSearch, searchSouls } from "./search/search-souls.ts";
import { largestFirst, soulOrders } from "./search/soul-orders.ts";
import { listColumns, toListEntry } from "./soul.queries.ts";

/**
 * The largest total that a list reports. Paging reaches no further: offset ≤ 10,000, limit ≤ 100.
 */
const MAX_TOTAL = 10_100;

type ListContext = Pick<CallContext, "hub" | "db">;

/** `text` finds souls by their words alone; `all` also by meaning, and despite slips (0079). */
export interface ListSearch extends SoulSearch {
  match?: "all" | "text";
}

/** Lists or searches public souls (specification §4.4). */
export async function listSouls(ctx: ListContext, input: ListSearch) {
  // Identical requests of one event-loop turn share one read; no result is cached.
  return ctx.hub.souls.list(JSON.stringify(input), () => readPublicSouls(ctx, input));
}

async function readPublicSouls({ hub, db }: ListContext, input: ListSearch) {
  if (input.q.trim()) {
    if (input.match === "text") {
      const { ids, ...counts } = await searchSouls(db, input);
      return listOf(await listEntries(db, ids), counts);
    }
    const { found, search, ...counts } = await searchInStages({ hub, db }, input);
    const entries = await listEntries(db, [...found.keys()]);
    const data = entries.map((entry) => ({ ...entry, match: found.get(entry.id) }));
    return { ...listOf(data, counts), search };
  }
  const { role, sort = "newest", limit, offset } = input;
  let matching = db.selectFrom("souls").where("souls.is_public", "=", sql.lit(1));
  if (role) matching = matching.where("souls.role", "=", role);
  // The page's ids are selected before owners are joined, so the join costs `limit` look-ups.
  const page = await matching
    .select("souls.id")
    .orderBy(largestFirst(soulOrders[sort]))
    .limit(limit)
    .offset(offset)
    .execute();
  const ids = page.map(({ id }) => id);
  const [data, { total }] = await Promise.all([
    listEntries(db, ids),
    db
      .selectFrom(matching.select(sql`1`.as("one")).limit(MAX_TOTAL).as("counted"))
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow(),
  ]);
  return listOf(data, { total, has_more: offset + ids.length < total });
}

const listOf = <Entry, Counts extends object>(data: Entry[], counts: Counts) => ({
  count: data.length,
  ...counts,
  data,
});

/** Reads list entries in the order of `ids`, without souls deleted, hidden or unlisted (0062). */
export async function listEntries(db: Db, ids: number[]) {
  const rows = await db
    .selectFrom("souls")
    .innerJoin("accounts", "accounts.id", "souls.user_id")
    .select(listColumns)
    .where("souls.id", "=", sql<number>`any(${ids}::bigint[])`)
    .where("souls.is_public", "=", sql.lit(1))
    .where("souls.is_listed", "=", true)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, toListEntry(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Lists the caller's own souls, including private ones (decisions §2). */
export async function listMySouls(
  { db, caller }: AccountContext,
  { q, role, sort = "newest", limit, offset }: SoulSearch,
) {
  let mine = db.selectFrom("souls").where("souls.user_id", "=", caller.account.id);
  if (role) mine = mine.where("souls.role", "=", role);
  // An account has few souls, so their texts are compared without an index.
  for (const word of q.split(/\s+/).filter(Boolean)) {
    mine = mine.where(
      sql<boolean>`strpos(hub_normalize(concat_ws(' ', souls.title, souls.description, souls.domain,
        souls.role)), hub_normalize(${word})) > 0`,
    );
  }
  const rows = await mine
    .innerJoin("accounts", "accounts.id", "souls.user_id")
    .select([...listColumns, "souls.is_public"])
    .orderBy(largestFirst(soulOrders[sort]))
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await mine
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return listOf(rows.map(toListEntry), { total, has_more: offset + rows.length < total });
}
