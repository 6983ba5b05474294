import { sql } from "kysely";
import type { AccountContext, CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { type SoulSearch, searchSouls } from "./search-souls.ts";
import { listColumns, toListEntry } from "./soul.queries.ts";
import { largestFirst, soulOrders } from "./soul-orders.ts";

/** `total` is counted this far and no further: what lies behind can't be reached (offset ≤ 10,000, limit ≤ 100). */
const MAX_TOTAL = 10_100;

/** Public souls (specification §4.4, GET /api/souls). */
export async function listSouls(
  { hub, db }: Pick<CallContext, "hub" | "db">,
  question: SoulSearch,
) {
  // Equal questions of one turn of the event loop share one answer; none is kept.
  return hub.souls.list(JSON.stringify(question), () => readPublicSouls(db, question));
}

async function readPublicSouls(db: Db, question: SoulSearch) {
  if (question.q.trim()) {
    const { ids, total } = await searchSouls(db, question);
    return answer(await listEntries(db, ids), total);
  }
  const { role, sort = "newest", limit, offset } = question;
  let matching = db.selectFrom("souls").where("souls.is_public", "=", sql.lit(1));
  if (role) matching = matching.where("souls.role", "=", role);
  // The page is cut before its owners are joined: the joins then cost `limit` look-ups, not all.
  const page = await matching
    .select("souls.id")
    .orderBy(largestFirst(soulOrders[sort]))
    .limit(limit)
    .offset(offset)
    .execute();
  const [data, { total }] = await Promise.all([
    listEntries(
      db,
      page.map(({ id }) => id),
    ),
    db
      .selectFrom(matching.select(sql`1`.as("one")).limit(MAX_TOTAL).as("counted"))
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow(),
  ]);
  return answer(data, total);
}

const answer = <Entry>(data: Entry[], total: number) => ({ count: data.length, total, data });

/** In the order of the ids; without those that are gone or private by now. */
async function listEntries(db: Db, ids: number[]) {
  const rows = await db
    .selectFrom("souls")
    .innerJoin("accounts", "accounts.id", "souls.user_id")
    .select(listColumns)
    .where("souls.id", "=", sql<number>`any(${ids}::bigint[])`)
    .where("souls.is_public", "=", sql.lit(1))
    .execute();
  const byId = new Map(rows.map((row) => [row.id, toListEntry(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
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
