import type { TableColumns } from "./archive-format.ts";

/** One connection to a database, whose tables are read and filled in COPY text format. */
export interface CopyPort extends AsyncDisposable {
  kind: "pglite" | "postgresql";
  query<Row = Record<string, unknown>>(statement: string, params?: unknown[]): Promise<Row[]>;
  /** Yields a table's rows. A row may begin in one buffer and end in a later one. */
  copyOut(table: TableColumns): AsyncIterable<Buffer>;
  /** Inserts whole rows. */
  copyIn(table: TableColumns, rows: Buffer): Promise<void>;
}

/** Settings that decide how COPY writes a value. Both databases must write it alike. */
export const copySettings = {
  timezone: "UTC",
  datestyle: "ISO,YMD",
  intervalstyle: "postgres",
  extra_float_digits: "1",
  bytea_output: "hex",
  client_encoding: "UTF8",
};

/** The byte that ends a row in COPY text format. Inside a value, a line break is escaped. */
export const ROW_END = 0x0a;

/** Quotes an identifier of SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns quoted columns, separated by commas. */
export const columnList = (columns: string[]): string => columns.map(quoted).join(", ");

/** Returns a table and its columns as COPY expects them. */
export const copyTarget = ({ name, columns }: TableColumns): string =>
  `${quoted(name)} (${columnList(columns)})`;
