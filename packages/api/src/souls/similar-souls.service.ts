import { sql } from "kysely";
import type { CallContext } from "../context.ts";
import { fromBytes } from "../embedding/vectors.ts";
import { listEntries } from "./list-souls.service.ts";
import { type MeaningState, restingState } from "./search/embedding.ts";
import { nearestSouls } from "./search/nearest-souls.ts";
import { visibleSoul } from "./soul-access.ts";

/** Forks have the same text as their source, so they would fill the list of candidates. */
const MAX_FORKS = 1_000;

/**
 * Lists the listed public souls that mean the nearest to a listed public one, without its source and
 * its forks (0079). Of any other soul that the caller may see, the list is empty.
 * @throws HubError `soul_not_found`, `scope_missing`
 */
export async function similarSouls(ctx: CallContext, { id, limit }: { id: number; limit: number }) {
  const { hub, db } = ctx;
  const { forked_from, fork_count } = await visibleSoul(ctx, id);
  const found = (data: Awaited<ReturnType<typeof listEntries>>, meaning: MeaningState) => ({
    count: data.length,
    data,
    meaning,
  });
  const { embedding } = hub;
  if (!embedding || restingState(embedding) === "off") return found([], "off");
  const { rows } = await sql<{ vector: Uint8Array | null }>`
    select vector from souls left join soul_vectors on soul_id = id and model = ${embedding.key}
    where id = ${id} and is_public = 1 and is_listed`.execute(db);
  const [listed] = rows;
  if (!listed) return found([], "ready");
  if (!listed.vector) return found([], "warming");
  const vector = fromBytes(listed.vector);
  const spare = Math.min(fork_count, MAX_FORKS);
  const near = await nearestSouls(db, embedding, { vector, role: "", spare });
  const unrelated = await sql<{ id: number }>`
    select id from souls where id = any(${near}::bigint[])
      and id <> ${id} and id is distinct from ${forked_from}::bigint
      and forked_from is distinct from ${id}`.execute(db);
  const shown = new Set(unrelated.rows.map((row) => row.id));
  const entries = await listEntries(
    db,
    near.filter((one) => shown.has(one)),
  );
  return found(entries.slice(0, limit), "ready");
}
