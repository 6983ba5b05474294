import { existsSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { flushDirectory } from "../db/drivers/flush-to-disk.ts";
import { EnvironmentError } from "./environment-error.ts";
import { writeJson } from "./write-whole.ts";

/** The directory of a database that a restore fills. */
export const RESTORING = "database.restoring";
/** The secrets of a backup, until they take the place of secrets.json. */
export const RESTORED_SECRETS = "secrets.json.restored";

/** The file whose existence decides that a restore is whole. It contains the time of the restore. */
const MARKER = "restored.json";

/** Restored files, and the files whose place they take. */
const PLACES = [
  [RESTORED_SECRETS, "secrets.json"],
  [RESTORING, "database"],
] as const;

/** The remains of a killed process: parts of a restore, or the copy for a backup. */
const LEFTOVERS = [RESTORED_SECRETS, RESTORING, "database.backup"];

/** The file that names the server to which the hub was moved. A restored hub may start again. */
export const MOVED = "moved.json";

/** Returns the name that a file gets when a restored one takes its place. */
export const formerName = (name: string, time: string): string => `${name}.before-${time}`;

/** Decides that the restore is whole, and moves the restored files to their places. */
export async function commitRestore(directory: string, time: string): Promise<void> {
  await writeJson(path.join(directory, MARKER), { time });
  await finishRestore(directory);
}

/**
 * Finishes a restore that was broken off after it was whole, and removes the remains of any other.
 * Runs whenever a process locks the data directory.
 */
export async function finishRestore(directory: string): Promise<void> {
  const at = (name: string) => path.join(directory, name);
  if (!existsSync(at(MARKER))) {
    for (const name of LEFTOVERS) await rm(at(name), { recursive: true, force: true });
    return;
  }
  const { time } = JSON.parse(await readFile(at(MARKER), "utf8"));
  for (const [restored, name] of PLACES) {
    if (!existsSync(at(restored))) continue;
    if (existsSync(at(name))) await rename(at(name), at(formerName(name, time)));
    await rename(at(restored), at(name));
  }
  if (existsSync(at(MOVED))) await rename(at(MOVED), at(formerName(MOVED, time)));
  flushDirectory(directory);
  await rm(at(MARKER));
}

/** @throws EnvironmentError if the hub of the data directory was moved to PostgreSQL (0033) */
export async function assertNotMoved(directory: string): Promise<void> {
  const file = path.join(directory, MOVED);
  if (!existsSync(file)) return;
  const { to } = JSON.parse(await readFile(file, "utf8"));
  throw new EnvironmentError(
    `DATA_DIR: the hub in ${directory} was moved to the PostgreSQL server ${to}. Set DATABASE_URL, MASTER_KEYS and ADMIN_TOKEN as \`hub move-to\` printed them. To go back, restore a backup.`,
  );
}
