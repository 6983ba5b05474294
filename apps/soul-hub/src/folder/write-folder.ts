import { lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Failure } from "@soul-hub/program";
import type { PackageFile } from "@soul-hub/soul-formats";

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
export async function assertNoLink(folder: string, name: string): Promise<void> {
  const parts = name.split("/");
  for (const depth of parts.keys()) {
    const place = path.join(folder, ...parts.slice(0, depth + 1));
    if (!(await lstat(place).catch(() => undefined))?.isSymbolicLink()) continue;
    throw new Failure("folder_in_use", `${place} is a symbolic link. Nothing is written there.`);
  }
}

/** True for a folder that is missing or empty. */
export async function isFree(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.length === 0;
}
