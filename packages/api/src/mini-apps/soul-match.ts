import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../db/entities.ts";
import type { MiniApp } from "./catalogue.ts";

type Theme = Pick<MiniApp, "keywords">;

/** A person picks from these; nobody reads further. */
const MAX_SOULS = 50;
/** How many of the most popular souls are looked through before the words' own index is asked. */
const WALKED_SOULS = 5_000;

/**
 * The one rule of which souls a mini app may be used with: the list and the submission both ask it
 * (specification §4.3, decisions §7). Public, without an NFT gate, and with a theme keyword as a whole word in title,
 * description, role or domain, which is what the column `search` holds: lower-case words, neither
 * stemmed nor cut, a hyphenated word's parts among them.
 */
function suits({ keywords }: Theme): RawBuilder<SqlBool> {
  // The catalogue lets only a-z into keywords, so that none can be an operator.
  const anyKeyword = keywords.map((keyword) => `'${keyword}'`).join(" | ");
  return sql<SqlBool>`(souls.is_public = 1 and souls.nft_contract is null
    and souls.search @@ ${anyKeyword}::tsquery)`;
}

/** `popular` of decisions §2, as its index has it. */
const popularFirst = sql`souls.like_count desc, souls.fork_count desc, souls.id desc`;

/**
 * The souls that suit, the most popular first.
 *
 * Left alone, the planner takes the index of popularity for any words whose frequency it doesn't
 * know, and reads a million souls to find that ten suit. So the walk has an end: words that many
 * souls have fill the list on it, and for the others the words' own index has few to give.
 */
export async function suitableSouls(db: Db, theme: Theme) {
  const { rows } = await sql<{ id: number; title: string; description: string }>`
    with walked as materialized (
      select souls.id
      from (select * from souls where souls.is_public = 1
            order by ${popularFirst} limit ${sql.lit(WALKED_SOULS)}) as souls
      where ${suits(theme)}
      order by ${popularFirst} limit ${sql.lit(MAX_SOULS)}
    ), looked_up as materialized (
      select souls.id, souls.like_count, souls.fork_count
      from souls
      where ${suits(theme)} and (select count(*) from walked) < ${sql.lit(MAX_SOULS)}
    )
    select souls.id, souls.title, souls.description
    from souls
    where souls.id in (
      select id from walked
      union
      select id from (select souls.id from looked_up as souls
                      order by ${popularFirst} limit ${sql.lit(MAX_SOULS)}) as best)
    order by ${popularFirst}`.execute(db);
  return rows;
}

export async function isSuitable(db: Db, theme: Theme, soulId: number): Promise<boolean> {
  const found = await db
    .selectFrom("souls")
    .select("souls.id")
    .where("souls.id", "=", soulId)
    .where(suits(theme))
    .executeTakeFirst();
  return found !== undefined;
}
