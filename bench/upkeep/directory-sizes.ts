import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { tableSizes } from "@soul-hub/api/testing";
import type { Values } from "../runner/measure.ts";

/** Bytes of a data directory, and of parts of it. */
interface DirectorySizes {
  all: number;
  log: number;
  /** The versions of souls, which edits add for good. */
  versions: number;
  otherTables: number;
}

const MEGABYTE = 1024 * 1024;

/** Measures the data directory of a hub that has stopped. */
export async function measureDirectory(directory: string): Promise<DirectorySizes> {
  // The files first: opening the database writes to its log.
  const files = await fileSizes(directory);
  let [versions, otherTables] = [0, 0];
  for (const [name, bytes] of await tableSizes(path.join(directory, "database"))) {
    if (name === "soul_versions") versions += bytes;
    else otherTables += bytes;
  }
  return { ...files, versions, otherTables };
}

async function fileSizes(directory: string): Promise<Pick<DirectorySizes, "all" | "log">> {
  const sizes = { all: 0, log: 0 };
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size } = await stat(path.join(entry.parentPath, entry.name));
    sizes.all += size;
    if (entry.parentPath.includes("pg_wal")) sizes.log += size;
  }
  return sizes;
}

/**
 * Compares a data directory with its state before. The ratio leaves out the versions that edits have
 * added.
 */
export function growthOf(before: DirectorySizes, after: DirectorySizes) {
  const row = (part: string, from: number, to: number): [string, Values] => [
    `MB of ${part}`,
    { before: from / MEGABYTE, after: to / MEGABYTE, ratio: to / from },
  ];
  const rest = ({ all, log, versions, otherTables }: DirectorySizes) =>
    all - log - versions - otherTables;
  const withoutKept = after.all - (after.versions - before.versions);
  return {
    ratio: withoutKept / before.all,
    rows: [
      row("versions of souls", before.versions, after.versions),
      row("other tables and indexes", before.otherTables, after.otherTables),
      row("write-ahead log", before.log, after.log),
      row("the rest", rest(before), rest(after)),
      row("all", before.all, after.all),
      row("all, without the versions added", before.all, withoutKept),
    ],
  };
}
