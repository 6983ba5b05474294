import { createHash } from "node:crypto";
import { FormatError, isOfMacos, type OpenZip, readJsonObject } from "@soul-hub/soul-formats";
import type { z } from "zod";
import { type ArchiveManifest, archiveManifest } from "../archive-format.ts";

/** The largest file that is read into memory at once, and the longest line of a list. */
const MAX_IN_MEMORY = 20 * 1024 * 1024;
const MAX_LINE_BYTES = 4 * 1024 * 1024;
export const MAX_UNPACKED = 256 * 1024 * 1024;
export const MAX_ENTRIES = 20_000;
/** A file of the manifest is an object of three members, and a member of the list. */
const MAX_MANIFEST_VALUES = 5 * MAX_ENTRIES;
const MAX_SOULS = 1_000;
/** The most messages, and the most lines of all other lists together. */
const MAX_LINES = 200_000;
const LINE_BREAK = 0x0a;

/** The files of an archive by their paths, as its manifest names them. */
export type ArchivedFiles = ReadonlyMap<string, ArchiveManifest["files"][number]>;

/**
 * Reads the manifest of an archive and compares every file with it, before anything is stored.
 * @throws FormatError for a manifest that is missing, for a file that it does not name as it is, and
 *   for an archive that is too large
 */
export async function readManifest(
  given: OpenZip,
): Promise<{ manifest: ArchiveManifest; files: ArchivedFiles; zip: OpenZip }> {
  if (!given.has("manifest.json")) {
    throw new FormatError("manifest.json", "is missing: the archive is incomplete");
  }
  const text = (await readWhole(given, "manifest.json")).toString("utf8");
  const json = readJsonObject(text, "manifest.json", MAX_MANIFEST_VALUES);
  const parsed = archiveManifest.safeParse(json);
  if (!parsed.success) throw new FormatError("manifest.json", "is not that of an archive");
  const files = new Map(parsed.data.files.map((file) => [file.path, file]));
  // A Mac that packs an unpacked archive again adds files of its own.
  const isLeftOut = (path: string) => isOfMacos(path) && !files.has(path);
  const leftOut = given.paths.filter(isLeftOut);
  const warnings = leftOut.map((path) => ({
    path,
    message: "is a file of macOS, and is left out",
  }));
  const zip = {
    ...given,
    paths: given.paths.filter((path) => !isLeftOut(path)),
    warnings: [...given.warnings, ...warnings],
  };
  if (soulsOf(zip.paths).length > MAX_SOULS) {
    throw new FormatError("souls", `has more than ${MAX_SOULS} souls`);
  }
  const missing = new Set(files.keys());
  const sizes = new ArchiveSizes();
  for (const path of zip.paths) {
    if (path === "manifest.json") continue;
    const expected = files.get(path);
    if (!expected) throw new FormatError(path, "is not named by the manifest");
    missing.delete(path);
    const sum = createHash("sha256");
    let size = 0;
    for await (const piece of zip.pieces(path)) {
      size += piece.length;
      sizes.add(path, piece);
      sum.update(piece);
    }
    if (size !== expected.size || sum.digest("hex") !== expected.sha256) {
      throw new FormatError(path, "differs from the manifest");
    }
  }
  const [first] = missing;
  if (first !== undefined) throw new FormatError(first, "is missing");
  return { manifest: parsed.data, files, zip };
}

/** The ids of an archive's souls, ascending, each with the paths of its files. */
export function soulsOf(paths: readonly string[]): [id: number, paths: string[]][] {
  const souls = Map.groupBy(paths, (path) => Number(/^souls\/(\d{1,15})\//.exec(path)?.[1]));
  souls.delete(Number.NaN);
  return [...souls].sort(([a], [b]) => a - b);
}

/** Counts the bytes and lines of an archive while it is unpacked. Its own counts are not believed. */
class ArchiveSizes {
  #bytes = 0;
  #messages = 0;
  #others = 0;

  add(path: string, piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > MAX_UNPACKED) {
      throw new FormatError(path, "makes the archive too large when unpacked");
    }
    if (!path.endsWith(".ndjson")) return;
    let lines = 0;
    for (let at = piece.indexOf(LINE_BREAK); at >= 0; at = piece.indexOf(LINE_BREAK, at + 1)) {
      lines++;
    }
    if (path.startsWith("rooms/")) this.#messages += lines;
    else this.#others += lines;
    // Each room begins with a line of its own.
    if (this.#messages > MAX_LINES + MAX_ENTRIES || this.#others > MAX_LINES) {
      throw new FormatError(path, `is beyond ${MAX_LINES} lines`);
    }
  }
}

/** Reads a file into memory. */
export const readWhole = (zip: OpenZip, path: string): Promise<Buffer> =>
  zip.read(path, MAX_IN_MEMORY);

/** Reads a list of JSON lines, each checked. A file that is missing has none. */
export async function* readLines<Line>(
  zip: OpenZip,
  path: string,
  schema: z.ZodType<Line>,
): AsyncGenerator<Line> {
  if (!zip.has(path)) return;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of zip.pieces(path)) {
    rest = Buffer.concat([rest, piece]);
    for (let end = rest.indexOf(LINE_BREAK); end >= 0; end = rest.indexOf(LINE_BREAK)) {
      yield readLine(path, rest.subarray(0, end), schema);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE_BYTES) throw new FormatError(path, "has a line that is too long");
  }
  if (rest.length > 0) yield readLine(path, rest, schema);
}

function readLine<Line>(path: string, line: Buffer, schema: z.ZodType<Line>): Line {
  const json = readJsonObject(line.toString("utf8"), path);
  const parsed = schema.safeParse(json);
  if (!parsed.success || !isStorable(json))
    throw new FormatError(path, "has a line that is not as it must be");
  return parsed.data;
}

/** Reports whether the database can store every text of a JSON value, which has few levels. */
const isStorable = (value: unknown): boolean =>
  typeof value === "string"
    ? value.isWellFormed() && !value.includes("\0")
    : typeof value !== "object" || value === null || Object.values(value).every(isStorable);
