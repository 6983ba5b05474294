import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createDeflateRaw } from "node:zlib";
import { FormatError, type OpenZip } from "@soul-hub/soul-formats";
import { MANIFEST, type Manifest } from "./read-archive.ts";

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
export interface Part extends Size {
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
    const joined = parts.length > 0 ? join(parts.at(-1) as Part, group) : group;
    if (parts.length > 0 && isWithin(joined, limits)) parts[parts.length - 1] = joined;
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
  const [first = ""] = paths;
  const [isSoul, isRoom] = [first.startsWith("souls/"), first.startsWith("rooms/")];
  const part = { packed: 0, unpacked: 0, entries: paths.length, lines: 0 };
  for (const file of paths) {
    const sizes = await packedSize(zip.pieces(file));
    part.packed += sizes.packed + ENTRY_BYTES + 2 * Buffer.byteLength(file);
    part.unpacked += sizes.unpacked;
    if (file.endsWith(".ndjson")) part.lines += sizes.lines;
  }
  // The first line of a room is the room itself, the last one of a soul its present state.
  const beside = part.lines - 1;
  const [souls, rooms, lines] = [isSoul ? 1 : 0, isRoom ? 1 : 0, isRoom ? beside : 0];
  const isRest = !isSoul && !isRoom;
  return {
    ...part,
    paths,
    souls,
    lines,
    counts: {
      souls,
      versions: isSoul ? beside : 0,
      rooms,
      lines,
      likes: isRest ? counts.likes : 0,
      ratings: isRest ? counts.ratings : 0,
    },
  };
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
  const packed = new PassThrough();
  packed.on("data", (piece: Buffer) => {
    sizes.packed += piece.length;
  });
  await pipeline(Readable.from(counted(), { objectMode: false }), createDeflateRaw(), packed);
  return sizes;
}

const sizeNames = ["packed", "unpacked", "entries", "souls", "lines"] as const;

const isWithin = (part: Size, limits: Size): boolean =>
  sizeNames.every((name) => part[name] <= limits[name]);

function join(a: Part, b: Part): Part {
  const sum = (one: Manifest["counts"], other: Manifest["counts"]) =>
    Object.fromEntries(
      Object.entries(one).map(([name, count]) => [name, count + other[name as keyof typeof other]]),
    ) as Manifest["counts"];
  const sizes = Object.fromEntries(sizeNames.map((name) => [name, a[name] + b[name]]));
  return {
    ...(sizes as unknown as Size),
    paths: [...a.paths, ...b.paths],
    counts: sum(a.counts, b.counts),
  };
}
