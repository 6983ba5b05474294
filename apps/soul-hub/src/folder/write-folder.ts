import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { PackageFile } from "@soul-hub/soul-formats";
import { Failure } from "../failure.ts";

/** Writes files below a folder. Their paths lead nowhere else: the zip was checked. */
export async function writeFiles(folder: string, files: readonly PackageFile[]): Promise<void> {
  for (const { path: name, bytes } of files) {
    await assertNoLink(folder, name);
    const place = path.join(folder, name);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, bytes);
  }
}

/** A symbolic link in the folder could lead a file out of it. */
async function assertNoLink(folder: string, name: string): Promise<void> {
  const parts = name.split("/");
  for (const depth of parts.keys()) {
    const place = path.join(folder, ...parts.slice(0, depth + 1));
    if (!(await lstat(place).catch(() => undefined))?.isSymbolicLink()) continue;
    throw new Failure("folder_in_use", `${place} is a symbolic link. Nothing is written there.`);
  }
}

/** True for a folder that is missing or empty. */
export const isFree = async (folder: string): Promise<boolean> =>
  (await readdir(folder).catch(absentAs([]))).length === 0;

/** The paths of files that the folder has with other bytes. */
export async function differingFiles(
  folder: string,
  files: readonly PackageFile[],
): Promise<string[]> {
  const differing: string[] = [];
  for (const { path: name, bytes } of files) {
    const present = await readFile(path.join(folder, name)).catch(absentAs(null));
    if (present && Buffer.compare(present, bytes) !== 0) differing.push(name);
  }
  return differing;
}

const absentAs =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === "ENOENT") return value;
    throw error;
  };
