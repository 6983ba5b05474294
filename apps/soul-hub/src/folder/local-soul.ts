import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import {
  FormatError,
  type ImportedSoul,
  MAX_IMPORT_BYTES,
  type PackageFile,
  readSoulFile,
  streamZip,
} from "@soul-hub/soul-formats";
import { isMarkdownFile } from "../hub/transfer.ts";
import { asOneLine } from "../terminal/foreign-text.ts";
import { LINK_FILE } from "./link.ts";

/** A soul on this machine, as the hub would read it. */
export interface LocalSoul {
  read: ImportedSoul;
  /** The file itself, or the folder as a zip. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The paths in the folder that are no part of the soul, each with the reason. */
  leftOut: string[];
}

const MAX_FILES = 600;
/** The folder of an export that holds what its other files do not yield again (0052). */
const OWN_FOLDER = ".soul-hub";

/** Dot files are settings of programs, so they neither leave this machine nor come to it. */
export const isDotFile = (file: string): boolean =>
  file
    .split("/")
    .some((part, depth) => part.startsWith(".") && !(depth === 0 && part === OWN_FOLDER));

/**
 * Reads a folder or a file as a soul.
 * @param roles the category slugs of the hub
 * @param beside files of the soul that a folder cannot hold, which the soul keeps
 * @throws FormatError
 */
export async function readLocal(
  place: string,
  roles: ReadonlySet<string>,
  beside: readonly PackageFile[] = [],
): Promise<LocalSoul> {
  if (!(await stat(place)).isDirectory()) {
    const bytes = await readOneFile(place);
    return { read: await readSoulFile(bytes, roles, isMarkdownFile(place)), bytes, leftOut: [] };
  }
  const found: FoundFiles = { files: [], leftOut: [], size: 0 };
  await addFolder(found, place, "");
  const bytes = new Uint8Array(await zipOf([...found.files, ...beside]));
  return { read: await readSoulFile(bytes, roles), bytes, leftOut: found.leftOut };
}

/**
 * Reads a file that the hub may take. A larger one is not read, since it may not fit into memory.
 * @throws FormatError
 */
export async function readOneFile(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const { size } = await stat(file);
  if (size > MAX_IMPORT_BYTES) throw new FormatError(file, "has more than 16 MiB");
  return new Uint8Array(await readFile(file));
}

interface FoundFiles {
  files: PackageFile[];
  leftOut: string[];
  size: number;
}

async function addFolder(found: FoundFiles, root: string, folder: string): Promise<void> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = folder ? `${folder}/${entry.name}` : entry.name;
    if (file === LINK_FILE || isLinkOfFile(entry.name)) continue;
    if (isDotFile(file)) found.leftOut.push(`${file} (a dot file)`);
    else if (entry.isDirectory()) await addFolder(found, root, file);
    else if (entry.isSymbolicLink()) found.leftOut.push(`${file} (a symbolic link)`);
    else if (entry.isFile()) await addFile(found, root, file);
    else found.leftOut.push(`${file} (not a file)`);
  }
}

/** A single file that is published has its link beside it. */
const isLinkOfFile = (name: string): boolean => name !== LINK_FILE && name.endsWith(LINK_FILE);

/** A wrong folder, such as a home, is refused before all of it is read. */
async function addFile(found: FoundFiles, root: string, file: string): Promise<void> {
  const place = path.join(root, file);
  found.size += (await stat(place)).size;
  if (found.size > MAX_IMPORT_BYTES) throw new FormatError(root, "has more than 16 MiB");
  found.files.push({ path: file, bytes: await readFile(place) });
  if (found.files.length > MAX_FILES) throw new FormatError(root, `has over ${MAX_FILES} files`);
}

async function* asStreamed(files: readonly PackageFile[]) {
  for (const { path: name, bytes } of files) yield { path: name, pieces: [bytes] };
}

const zipOf = (files: readonly PackageFile[]): Promise<Buffer> =>
  buffer(streamZip(asStreamed(files)));

export const leftOutNote = (leftOut: readonly string[]): string[] =>
  leftOut.length === 0 ? [] : [`Left out: ${leftOut.map(asOneLine).join(", ")}.`];
