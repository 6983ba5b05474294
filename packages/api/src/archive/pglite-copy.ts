import type { PGlite } from "@electric-sql/pglite";
import { type CopyPort, columnList, copySettings, copyTarget, quoted } from "./copy-port.ts";

/**
 * PGlite returns the output of COPY as one blob in memory. A table is therefore read in ranges of
 * pages, each of about this number of bytes.
 */
const RANGE_BYTES = 16 * 1024 * 1024;
/** A row pointer's page number has 32 bits. */
const LAST_PAGE = 0xffff_fffe;

/** Reads and fills the tables of an open PGlite. Its disposal closes it. */
export async function pgliteCopy(pglite: PGlite): Promise<CopyPort> {
  for (const [name, value] of Object.entries(copySettings)) {
    await pglite.query("select set_config($1, $2, false)", [name, value]);
  }
  const query: CopyPort["query"] = async <Row>(statement: string, params?: unknown[]) =>
    (await pglite.query<Row>(statement, params)).rows;

  async function pagesPerRange(table: string): Promise<{ pages: number; step: number }> {
    const [size] = await query<{ pages: number; bytes: number }>(
      `select pg_relation_size($1::regclass) / current_setting('block_size')::int as pages,
        pg_table_size($1::regclass) as bytes`,
      [quoted(table)],
    );
    const { pages = 0, bytes = 0 } = size ?? {};
    const step = Math.max(1, Math.floor((pages * RANGE_BYTES) / Math.max(bytes, 1)));
    return { pages: Number(pages), step };
  }

  return {
    kind: "pglite",
    query,
    async *copyOut({ name, columns }) {
      const { pages, step } = await pagesPerRange(name);
      const selected = columnList(columns);
      for (let page = 0; page < pages; page += step) {
        const end = page + step < pages ? page + step : LAST_PAGE;
        const range = `ctid >= '(${page},0)' and ctid < '(${end},0)'`;
        const [result] = await pglite.exec(
          `copy (select ${selected} from ${quoted(name)} where ${range}) to '/dev/blob'`,
        );
        if (result?.blob) yield Buffer.from(await result.blob.arrayBuffer());
      }
    },
    async copyIn(table, rows) {
      // The Blob needs a buffer of its own: a part may be a view of a larger one.
      const blob = new Blob([new Uint8Array(rows)]);
      await pglite.exec(`copy ${copyTarget(table)} from '/dev/blob'`, { blob });
    },
    [Symbol.asyncDispose]: () => pglite.close(),
  };
}
