import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/entities.ts";
import type { Vault } from "../../vault.ts";

/** A column that the vault has sealed, in a table with an id. */
export interface SealedColumn {
  table: string;
  column: string;
  purpose: string;
  /** What a row's secret is bound to, as SQL over its columns. */
  bind: RawBuilder<string>;
}

export interface RewrapCount {
  rewrapped: number;
  /** Opened by no key of the ring: left as they are. */
  unreadable: number;
}

interface Rewrap {
  db: Db;
  vault: Vault;
  /** Asked between batches: what is done by then stays done. */
  throwIfStopped(): void;
}

const BATCH_ROWS = 500;

/**
 * Seals every secret of a column anew that another key than the ring's first has sealed. Beside writers it
 * replaces only the very text that it has read; no statement holds more than one batch.
 */
export async function rewrapColumn(
  { db, vault, throwIfStopped }: Rewrap,
  column: SealedColumn,
): Promise<RewrapCount> {
  const count: RewrapCount = { rewrapped: 0, unreadable: 0 };
  for (let after = 0; ; ) {
    throwIfStopped();
    const rows = await readBatch(db, column, after);
    const last = rows.at(-1);
    if (!last) return count;
    after = last.id;
    const fresh: Rewrapped[] = [];
    for (const row of rows) {
      if (row.was === null) continue;
      try {
        // Opened also where the text names the first key: it may be damaged, or the id used again.
        const sealed = vault.reseal(column.purpose, row.bind, row.was);
        if (sealed !== null) fresh.push({ id: row.id, was: row.was, sealed });
      } catch {
        count.unreadable++;
      }
    }
    count.rewrapped += await replace(db, column, fresh);
  }
}

interface SealedRow {
  id: number;
  was: string | null;
  bind: string;
}

interface Rewrapped {
  id: number;
  was: string;
  sealed: string;
}

async function readBatch(db: Db, { table, column, bind }: SealedColumn, after: number) {
  const { rows } = await sql<SealedRow>`
    select id, ${sql.ref(column)} as was, ${bind} as bind from ${sql.table(table)}
    where id > ${after} order by id limit ${BATCH_ROWS}`.execute(db);
  return rows;
}

async function replace(db: Db, at: SealedColumn, fresh: Rewrapped[]): Promise<number> {
  if (fresh.length === 0) return 0;
  const table = sql.table(at.table);
  const column = sql.ref(`${at.table}.${at.column}`);
  // Waits for nobody's lock while it holds others: a cascade that locks them in its own order
  // would be a deadlock.
  const { rows } = await sql<{ id: number }>`
    update ${table} set ${sql.ref(at.column)} = free.sealed
    from (select ${table}.id, fresh.sealed
      from unnest(${fresh.map(({ id }) => id)}::bigint[], ${fresh.map(({ was }) => was)}::text[],
        ${fresh.map(({ sealed }) => sealed)}::text[]) as fresh (id, was, sealed)
      join ${table} on ${table}.id = fresh.id and ${column} = fresh.was
      for no key update of ${table} skip locked) as free
    where ${table}.id = free.id returning ${table}.id`.execute(db);
  const done = new Set(rows.map(({ id }) => id));
  let count = done.size;
  for (const { id, was, sealed } of fresh.filter((row) => !done.has(row.id))) {
    const { numAffectedRows = 0n } = await sql`
      update ${table} set ${sql.ref(at.column)} = ${sealed}
      where id = ${id} and ${column} = ${was}`.execute(db);
    count += Number(numAffectedRows);
  }
  return count;
}
