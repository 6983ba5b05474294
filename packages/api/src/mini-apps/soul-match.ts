import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { MiniApp } from "./catalogue.ts";

type Theme = Pick<MiniApp, "keywords">;

/** Maximum number of listed souls. */
const MAX_SOULS = 50;
/** Number of most popular souls to scan before the text search index is used instead. */
const SCANNED_SOULS = 5_000;

/**
 * The condition for a soul to match a mini app, for lists and submissions (specification §4.3,
 * decisions §7). The soul is public, has no NFT gate, and contains a theme keyword as a whole word.
 * The column `search` holds the words of title, description, role and domain, in lower case and
 * unstemmed. It also holds the parts of hyphenated words.
 */
function matches({ keywords }: Theme): RawBuilder<SqlBool> {
  // Keywords consist of a-z only (catalogue.ts), so they contain no operators of `tsquery`.
  const anyKeyword = keywords.map((keyword) => `'${keyword}'`).join(" | ");
  return sql<SqlBool>`(souls.is_public = 1 and souls.nft_contract is null
    and souls.search @@ ${anyKeyword}::tsquery)`;
}

/** The sort order `popular` of GET /api/souls (decisions §2, Lists), for which an index exists. */
const popularFirst = sql`souls.like_count desc, souls.fork_count desc, souls.id desc`;

/**
 * Lists the souls that match a mini app, most popular first, at most 50.
 *
 * The query planner does not know how frequent a word is. It would scan the index of popularity,
 * which reads every soul if few souls match. Therefore the scan is limited to the most popular
 * souls. If a word is frequent, the scan finds enough souls. If it is rare, the text search index
 * returns few souls.
 */
export async function matchingSouls(db: Db, theme: Theme) {
  const { rows } = await sql<{ id: number; title: string; description: string }>`
    with scanned as materialized (
      select souls.id
      from (select * from souls where souls.is_public = 1
            order by ${popularFirst} limit ${sql.lit(SCANNED_SOULS)}) as souls
      where ${matches(theme)}
      order by ${popularFirst} limit ${sql.lit(MAX_SOULS)}
    ), looked_up as materialized (
      select souls.id, souls.like_count, souls.fork_count
      from souls
      where ${matches(theme)} and (select count(*) from scanned) < ${sql.lit(MAX_SOULS)}
    )
    select souls.id, souls.title, souls.description
    from souls
    where souls.id in (
      select id from scanned
      union
      select id from (select souls.id from looked_up as souls
                      order by ${popularFirst} limit ${sql.lit(MAX_SOULS)}) as best)
      and souls.is_listed
    order by ${popularFirst}`.execute(db);
  return rows;
}

/** Checks the condition of {@link matchingSouls} for one soul. */
export async function isMatching(db: Db, theme: Theme, soulId: number): Promise<boolean> {
  const found = await db
    .selectFrom("souls")
    .select("souls.id")
    .where("souls.id", "=", soulId)
    .where(matches(theme))
    .executeTakeFirst();
  return found !== undefined;
}
