import { z } from "zod";

/**
 * The format of a backup: a tar compressed with zstd (0028). Its entries, in this order:
 * `manifest.json`, `secrets.json` if the backup includes the keys, the parts of each table, and
 * `end.json`. An archive without a matching `end.json` is no backup.
 */
export const FORMAT = "soul-hub-backup/1";

export const MANIFEST = "manifest.json";
export const SECRETS = "secrets.json";
export const END = "end.json";

/** A part holds whole rows in PostgreSQL's COPY text format, about this number of bytes. */
export const PART_BYTES = 4 * 1024 * 1024;

const PART_NAME = /^tables\/([^/]+)\/\d+\.copy$/;

/** Returns the name of the entry that holds a part of a table, counted from 1. */
export const partName = (table: string, part: number): string =>
  `tables/${table}/${String(part).padStart(6, "0")}.copy`;

/** Returns the table of a part's entry, or null if the entry is none. */
export const tableOfPart = (name: string): string | null => PART_NAME.exec(name)?.[1] ?? null;

const tableColumns = z.object({ name: z.string(), columns: z.array(z.string()).min(1) });

/** A table, with the columns that an archive holds. Generated columns are computed again. */
export type TableColumns = z.infer<typeof tableColumns>;

const masterKeyCheck = z.object({ id: z.string(), check: z.string() });

/** The id of a master key, and a value that only this key yields. It reveals nothing of the key. */
export type MasterKeyCheck = z.infer<typeof masterKeyCheck>;

export const manifestShape = z.object({
  format: z.literal(FORMAT),
  /** The release that wrote the archive. */
  app: z.string(),
  /** The number of migrations that the database had. */
  schema: z.int().min(1),
  database: z.enum(["pglite", "postgresql"]),
  /** UTC, as in every answer of the API. */
  created_at: z.string(),
  keys: z.array(masterKeyCheck),
  tables: z.array(tableColumns),
});
export type Manifest = z.infer<typeof manifestShape>;

const tableDigest = z.object({
  rows: z.int().min(0),
  bytes: z.int().min(0),
  /** SHA-256 of the table's parts, one after the other. */
  sha256: z.string(),
  /**
   * The sum of the first 128 bits of each row's SHA-256, modulo 2^128; independent of the order of
   * the rows.
   */
  rows_hash: z.string(),
});
export type TableDigest = z.infer<typeof tableDigest>;

const sequenceState = z.object({ name: z.string(), last_value: z.int(), is_called: z.boolean() });
export type SequenceState = z.infer<typeof sequenceState>;

export const endShape = z.object({
  tables: z.record(z.string(), tableDigest),
  sequences: z.array(sequenceState),
  /** SHA-256 of `manifest.json` and, if the archive has it, of `secrets.json`. */
  files: z.record(z.string(), z.string()),
});
export type End = z.infer<typeof endShape>;
