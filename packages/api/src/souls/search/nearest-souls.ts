import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { bitsOf, type Components, cosine, fromBytes } from "../../embedding/vectors.ts";
import type { Embedding } from "./embedding.ts";

/** The number of souls that are compared by cosine, and so the most that meaning finds. */
const CANDIDATES = 200;

interface Question {
  vector: Components;
  /** A category slug; empty for all roles. */
  role: string;
  /** More candidates than {@link CANDIDATES}, of which the caller leaves some out. */
  spare?: number;
}

/**
 * Returns the ids of the souls that mean the nearest, by cosine, then id. The database compares one
 * bit per component; the hub compares the nearest by their whole vectors (0079). The vectors of a
 * soul that no list shows are deleted with its change, so all are of listed souls.
 */
export async function nearestSouls(
  db: Db,
  { key, model }: Embedding,
  { vector, role, spare = 0 }: Question,
): Promise<number[]> {
  const ofRole = role
    ? sql`and soul_id in (select id from souls where is_public = 1 and role = ${role})`
    : sql``;
  const { rows } = await sql<{ soul_id: number; vector: Uint8Array }>`
    select soul_id, vector from soul_vectors
    where model = ${key} and bits is not null ${ofRole}
    order by bit_count(bits # ${bitsOf(vector)}::varbit), soul_id
    limit ${sql.lit(CANDIDATES + spare)}`.execute(db);
  return rows
    .map((row) => ({ id: row.soul_id, cosine: cosine(vector, fromBytes(row.vector)) }))
    .filter(({ cosine }) => cosine >= model.floor)
    .sort((a, b) => b.cosine - a.cosine || a.id - b.id)
    .map(({ id }) => id);
}
