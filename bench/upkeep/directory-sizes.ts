import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { tableSizes } from "@soul-hub/api/testing";
import { printTable } from "../rest/report.ts";

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
 * Prints the growth of a data directory. Returns the ratio of its size after and before, without
 * the versions that edits have added.
 */
export function reportGrowth(before: DirectorySizes, after: DirectorySizes): number {
  const row = (part: string, of: (sizes: DirectorySizes) => number) => {
    const mb = (bytes: number) => (bytes / MEGABYTE).toFixed(1);
    const [from, to] = [of(before), of(after)];
    return [part, mb(from), mb(to), mb(to - from), (to / from).toFixed(2)];
  };
  const kept = after.versions - before.versions;
  const withoutKept = (sizes: DirectorySizes) => sizes.all - (sizes === after ? kept : 0);
  printTable([
    ["MB of the data directory", "before", "after", "added", "ratio"],
    row("versions of souls", ({ versions }) => versions),
    row("other tables and indexes", ({ otherTables }) => otherTables),
    row("write-ahead log", ({ log }) => log),
    row("the rest", ({ all, log, versions, otherTables }) => all - log - versions - otherTables),
    row("all", ({ all }) => all),
    row("all, without the versions added", withoutKept),
  ]);
  return withoutKept(after) / before.all;
}
