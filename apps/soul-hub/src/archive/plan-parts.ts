import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createDeflateRaw } from "node:zlib";
import { FormatError, type OpenZip } from "@soul-hub/soul-formats";
import { countNames, MANIFEST, type Manifest } from "./read-archive.ts";

/** What one part of an archive may hold. */
export interface Size {
  packed: number;
  unpacked: number;
  entries: number;
  souls: number;
  lines: number;
}

/** Below what the hub takes (0053), by the size of a manifest. */
export const PART_LIMITS: Size = {
  packed: 60 * 1024 * 1024,
  unpacked: 240 * 1024 * 1024,
  entries: 90_000,
  souls: 1_000,
  lines: 200_000,
};

/** Files that are imported together. */
export interface Part extends Pick<Size, "packed" | "unpacked"> {
  paths: string[];
  counts: Manifest["counts"];
}

const LINE_BREAK = 0x0a;
/** The headers of a zip's entry beside its two names. */
const ENTRY_BYTES = 100;

/**
 * Groups the files of an archive into parts. A soul and a room stay whole. Souls come first, because
 * rooms need them.
 * @throws FormatError for a soul or a room that is larger than a part
 */
export async function planParts(zip: OpenZip, manifest: Manifest, limits = PART_LIMITS) {
  const parts: Part[] = [];
  for (const paths of groupsOf(zip.paths)) {
    const group = await measure(zip, paths, manifest);
    if (!isWithin(group, limits)) throw new FormatError(paths[0] ?? "", "is too large for the hub");
    const last = parts.at(-1);
    const joined = last ? join(last, group) : group;
    if (last && isWithin(joined, limits)) parts[parts.length - 1] = joined;
    else parts.push(group);
  }
  return parts;
}

/** The files of each soul, then each room, then everything else. */
function groupsOf(paths: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  const rankOf = (name: string) => (/^souls\//.test(name) ? 0 : /^rooms\//.test(name) ? 1 : 2);
  for (const file of paths.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    if (file === MANIFEST) continue;
    const [name = ""] = /^souls\/[^/]*|^rooms\/.*/.exec(file) ?? [];
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return [...groups.values()];
}

async function measure(zip: OpenZip, paths: string[], { counts }: Manifest): Promise<Part> {
  const sum = { packed: 0, unpacked: 0, lines: 0 };
  for (const file of paths) {
    const { packed, unpacked, lines } = await packedSize(zip.pieces(file));
    sum.packed += packed + ENTRY_BYTES + 2 * Buffer.byteLength(file);
    sum.unpacked += unpacked;
    if (file.endsWith(".ndjson")) sum.lines += lines;
  }
  const { lines, ...sizes } = sum;
  return { ...sizes, paths, counts: countsOf(paths[0] ?? "", lines - 1, counts) };
}

/** @param beside the lines but one: the first of a room is the room, the last of a soul its state */
function countsOf(first: string, beside: number, { likes, ratings }: Manifest["counts"]) {
  const none = { souls: 0, versions: 0, rooms: 0, lines: 0, likes: 0, ratings: 0 };
  if (first.startsWith("souls/")) return { ...none, souls: 1, versions: beside };
  if (first.startsWith("rooms/")) return { ...none, rooms: 1, lines: beside };
  return { ...none, likes, ratings };
}

async function packedSize(pieces: AsyncIterable<Buffer>) {
  const sizes = { packed: 0, unpacked: 0, lines: 0 };
  const counted = async function* () {
    for await (const piece of pieces) {
      sizes.unpacked += piece.length;
      for (const byte of piece) if (byte === LINE_BREAK) sizes.lines++;
      yield piece;
    }
  };
  const unpacked = Readable.from(counted(), { objectMode: false });
  await pipeline(unpacked, createDeflateRaw(), async (packed: AsyncIterable<Buffer>) => {
    for await (const piece of packed) sizes.packed += piece.length;
  });
  return sizes;
}

const isWithin = ({ packed, unpacked, paths, counts }: Part, limits: Size): boolean =>
  packed <= limits.packed &&
  unpacked <= limits.unpacked &&
  paths.length <= limits.entries &&
  counts.souls <= limits.souls &&
  counts.lines <= limits.lines;

const join = (a: Part, b: Part): Part => ({
  packed: a.packed + b.packed,
  unpacked: a.unpacked + b.unpacked,
  paths: [...a.paths, ...b.paths],
  counts: Object.fromEntries(
    countNames.map((name) => [name, a.counts[name] + b.counts[name]]),
  ) as Manifest["counts"],
});
