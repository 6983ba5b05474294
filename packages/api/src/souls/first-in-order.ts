import { sql } from "kysely";
import type { Db } from "../db/entities.ts";
import type { Gathering, Searched } from "./gathering.ts";
import { costs, SAMPLE, SPARE } from "./search-costs.ts";
import type { Condition } from "./search-tiers.ts";
import { type Keys, keysAsColumns, largestColumnsFirst, largestFirst } from "./soul-orders.ts";

/** They stand in an order. */
export interface Shelf extends Searched {
  keys: Keys;
}

/** What is looked for. */
interface Wanted extends Gathering {
  count: number;
  /** All that match are then counted so far. */
  upTo: number;
}

interface First {
  ids: number[];
  /** So many that match were met, and whether they are all there are. */
  met: number;
  isAll: boolean;
}

const LEAST_LOOK = 100;
/** Where it didn't: how much further to look. */
const FURTHER = 4;
/** No more rows are read in the belief that they are few. */
const NOT_FEW = 10_000;

/**
 * The ids of the first so many souls that match, in order; fewer: there are no more. And how many were met.
 *
 * To gather all matches and sort them takes as long as there are matches, half a million for a
 * common word. To walk along the order until there are enough takes for ever for a rare one; and
 * left alone with a limit, the planner does each at the wrong time. So the first part of the shelf
 * that should hold enough is looked through, in the cheapest way, and more of it where it didn't.
 */
export async function firstInOrder(db: Db, shelf: Shelf, wanted: Wanted): Promise<First> {
  let { about, reads } = wanted;
  let look = lookFor(wanted.count, about, shelf);
  for (;;) {
    const way = cheapestWay(shelf, { ...wanted, reads }, look);
    if (way === "gather all") {
      const isLast = look >= shelf.souls;
      const { ids, read } = await gather(db, shelf, wanted, isLast ? {} : { atMost: NOT_FEW });
      if (isLast || read < NOT_FEW) return { ids, met: read, isAll: true };
      about = Math.max(about, NOT_FEW) * FURTHER;
      reads = Math.max(reads, about);
      look = lookFor(wanted.count, about, shelf);
    } else {
      const { ids, read } =
        way === "walk"
          ? await walk(db, shelf, wanted, look)
          : await gather(db, shelf, wanted, { within: look });
      if (ids.length >= wanted.count) return { ids, met: read, isAll: false };
      // There are fewer than was believed: as many as were met, or hardly any.
      const met = ((ids.length + 1) * shelf.souls) / look;
      if (met < about) {
        reads = wanted.reads > wanted.about ? reads : met;
        about = met;
      }
      look = Math.max(look * FURTHER, lookFor(wanted.count, about, shelf));
    }
  }
}

const lookFor = (count: number, about: number, { souls }: Shelf) =>
  Math.max(LEAST_LOOK, Math.ceil((SPARE * count * souls) / Math.max(about, 1)));

function cheapestWay(shelf: Shelf, wanted: Wanted, look: number) {
  const { takes, reads } = wanted;
  const { role, souls, publicSouls } = shelf;
  if (look >= souls) return "gather all";
  const steps = ((look * publicSouls) / souls) * costs.step;
  const all = takes + reads * costs.visit;
  // Who gathers all has counted them too.
  const toCount = Math.min(all, countsIn(shelf, wanted));
  const take = {
    walk: look * costs.visit + (role ? steps : 0) + toCount,
    "gather within": takes + steps + reads * (look / souls) * costs.visit + toCount,
    "gather all": all,
  };
  const ways = Object.keys(take) as (keyof typeof take)[];
  return ways.reduce((best, way) => (take[way] < take[best] ? way : best));
}

/** What it then takes to count them, about (./count-matches.ts). */
function countsIn({ role, souls }: Shelf, { takes, about, upTo }: Wanted) {
  const rows = upTo * costs.visit;
  const enough = upTo * SPARE;
  const asTheyLie = (enough * souls * (role ? costs.visit : costs.row)) / Math.max(about, 1);
  return Math.min(asTheyLie, rows + (about >= enough * SAMPLE ? takes / SAMPLE : takes));
}

const ofRole = (role: string): Condition => (role ? sql`souls.role = ${role}` : sql`true`);

interface Matching {
  ids: number[];
  /** How many were read that match. */
  read: number;
}

/** Reads the first souls of the shelf, one after the other, and keeps those that match. */
async function walk(
  db: Db,
  { role, keys }: Shelf,
  { matches, count }: Wanted,
  look: number,
): Promise<Matching> {
  const first = sql`order by ${largestFirst(keys)} limit`;
  // Of a role: the order's index alone says which they are, and only they are read.
  const looked = role
    ? sql`(select souls.id from souls where souls.is_public = 1 and ${ofRole(role)}
          ${first} ${sql.lit(look)}) as looked join souls using (id)`
    : sql`(select * from souls where souls.is_public = 1 ${first} ${sql.lit(look)}) as souls`;
  const { rows } = await sql<{ ids: number[] }>`
    select to_json(array(select souls.id from ${looked} where ${matches}
      ${first} ${sql.lit(count)})) as ids`.execute(db);
  const ids = rows[0]?.ids ?? [];
  return { ids, read: ids.length };
}

/** Gathers matches from their own index: all of them, or those within the first part of the shelf. */
async function gather(
  db: Db,
  shelf: Shelf,
  { matches, count }: Wanted,
  { within, atMost }: { within?: number; atMost?: number },
): Promise<Matching> {
  const { keys } = shelf;
  const end = within && (await endOfLook(db, shelf, within));
  const inLook = end ? sql`(${sql.join([...keys])}) >= (${sql.join(end)})` : sql`true`;
  const { rows } = await sql<Matching>`
    with matching as materialized (
      select souls.id, ${keysAsColumns(keys)} from souls
      where souls.is_public = 1 and ${matches} and ${inLook}
      ${atMost ? sql`limit ${sql.lit(atMost)}` : sql``})
    select (select count(*) from matching) as read, to_json(array(
      select id from matching
      order by ${largestColumnsFirst(keys)} limit ${sql.lit(count)})) as ids`.execute(db);
  return rows[0] ?? { ids: [], read: 0 };
}

/** The keys of the last one of the first so many souls; none: there are fewer. */
async function endOfLook(db: Db, { role, keys }: Shelf, look: number) {
  const { rows } = await sql<Record<string, unknown>>`
    select ${keysAsColumns(keys)} from souls where souls.is_public = 1 and ${ofRole(role)}
    order by ${largestFirst(keys)} limit 1 offset ${sql.lit(look)}`.execute(db);
  return rows[0] && Object.values(rows[0]);
}
