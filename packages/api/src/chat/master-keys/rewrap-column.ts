import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { Vault } from "../../vault.ts";

/** A column of texts that the vault encrypted. The primary key of its table is `id`. */
export interface SealedColumn {
  table: string;
  column: string;
  purpose: string;
  /** SQL expression of the additional data with which a row's text is encrypted. */
  bind: RawBuilder<string>;
}

export interface RewrapCount {
  rewrapped: number;
  /** Number of texts that no master key decrypts. These texts stay unchanged. */
  unreadable: number;
}

interface Rewrap {
  db: Db;
  vault: Vault;
  /**
   * Throws if the rotation was stopped. It is called before each batch, so that no batch is left
   * half done.
   */
  throwIfStopped(): void;
}

const BATCH_ROWS = 500;

/**
 * Re-encrypts every text of a column that was not encrypted by the first master key
 * (docs/decisions/0012). Writers can run at the same time: a text is replaced only if it is
 * unchanged. Each statement covers one batch at most.
 */
export async function rewrapColumn(
  { db, vault, throwIfStopped }: Rewrap,
  column: SealedColumn,
): Promise<RewrapCount> {
  const count: RewrapCount = { rewrapped: 0, unreadable: 0 };
  for (let after = 0; ; ) {
    throwIfStopped();
    const was = sql.ref(column.column);
    const { rows } = await sql<{ id: number; was: string; bind: string }>`
      select id, ${was} as was, ${column.bind} as bind from ${sql.table(column.table)}
      where id > ${after} and ${was} is not null order by id limit ${BATCH_ROWS}`.execute(db);
    const last = rows.at(-1);
    if (!last) return count;
    after = last.id;
    const fresh: Rewrapped[] = [];
    for (const row of rows) {
      try {
        // Texts of the first master key are also decrypted. They may be damaged, or the key's id
        // may have been reused.
        const sealed = vault.reseal(column.purpose, row.bind, row.was);
        if (sealed !== null) fresh.push({ id: row.id, was: row.was, sealed });
      } catch {
        count.unreadable++;
      }
    }
    count.rewrapped += await replace(db, column, fresh);
  }
}

interface Rewrapped {
  id: number;
  was: string;
  sealed: string;
}

async function replace(db: Db, at: SealedColumn, fresh: Rewrapped[]): Promise<number> {
  if (fresh.length === 0) return 0;
  const table = sql.table(at.table);
  const column = sql.ref(`${at.table}.${at.column}`);
  // `skip locked` avoids deadlocks with cascades, which lock rows in another order. The rows that
  // were locked are replaced one by one below.
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
