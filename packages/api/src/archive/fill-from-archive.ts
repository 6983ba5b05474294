import { isDeepStrictEqual } from "node:util";
import type { Db } from "../db/database.ts";
import { ArchiveError, damaged } from "./archive-error.ts";
import type { TableColumns } from "./archive-format.ts";
import { readTables, setSequences, withoutForeignKeys } from "./catalog.ts";
import type { CopyPort } from "./copy-port.ts";
import type { OpenArchive } from "./read-archive.ts";
import { digestTable } from "./table-digest.ts";

/** An empty database that receives an archive's rows. */
export interface RestoreTarget extends AsyncDisposable {
  port: CopyPort;
  db: Db;
  /** Runs migrations up to a schema version. */
  migrateTo(schema: number): Promise<void>;
  /** Runs the remaining migrations, and defines the SQL functions. */
  migrateToNewest(): Promise<void>;
}

/** The embedded database makes no checkpoint of its own, so its log would grow with each part. */
const CHECKPOINT_BYTES = 64 * 1024 * 1024;

/**
 * Fills an empty database with the rows of an archive and compares the hash of each table. Then
 * brings the schema up to date.
 * @returns the number of rows
 * @throws ArchiveError `damaged_archive`
 */
export async function fillFromArchive(
  target: RestoreTarget,
  { manifest, entries }: OpenArchive,
): Promise<number> {
  const { port } = target;
  await target.migrateTo(manifest.schema);
  const tables = await readTables(port);
  const known = new Set(tables.map(({ name }) => name));
  // A schema of PostgreSQL may contain tables of other programs, which stay out of the hub.
  const restored = manifest.tables.filter(({ name }) => known.has(name));
  assertSameTables(tables, restored);
  const tableOf = new Map(restored.map((table) => [table.name, table]));
  const addForeignKeys = await withoutForeignKeys(port);
  let rows = 0;
  let bytes = 0;
  for await (const entry of entries) {
    if ("rows" in entry) {
      const table = tableOf.get(entry.table);
      if (table) await port.copyIn(table, entry.rows).catch(asDamage);
      bytes += entry.rows.length;
      if (port.kind === "pglite" && bytes >= CHECKPOINT_BYTES) {
        await port.query("checkpoint");
        bytes = 0;
      }
    }
    if (!("end" in entry)) continue;
    await setSequences(port, entry.end.sequences);
    await addForeignKeys();
    for (const table of restored) {
      const digest = await digestTable(port, table);
      const expected = entry.end.tables[table.name];
      if (digest.rows !== expected?.rows || digest.rows_hash !== expected.rows_hash) {
        throw new ArchiveError(
          "damaged_archive",
          `The table ${table.name} differs from the backup after the restore.`,
        );
      }
      rows += digest.rows;
    }
  }
  await target.migrateToNewest();
  return rows;
}

/** SQLSTATE classes of values that a table refuses: data exceptions and violated constraints. */
const REFUSED_ROWS = /^2[23]/;

/** Damaged text reaches a table before the archive's checksum, which comes last. */
function asDamage(error: unknown): never {
  const { code, message } = error as Error & { code?: string };
  if (!REFUSED_ROWS.test(code ?? "")) throw error;
  throw damaged(message, error);
}

function assertSameTables(actual: TableColumns[], expected: TableColumns[]): void {
  const sorted = (tables: TableColumns[]) =>
    tables.map(({ name, columns }) => [name, ...columns.toSorted()]).sort();
  if (isDeepStrictEqual(sorted(actual), sorted(expected))) return;
  throw damaged("its tables are not those of its schema version");
}
