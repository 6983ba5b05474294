import { createHash } from "node:crypto";
import { ARCHIVE_FORMAT, FormatError, type OpenZip } from "@soul-hub/soul-formats";
import { z } from "zod";
import { ARCHIVE_VERSION } from "../archive-format.ts";

/** The largest file that is read into memory at once, and the longest line of a list. */
const MAX_IN_MEMORY = 20 * 1024 * 1024;
const MAX_LINE_BYTES = 4 * 1024 * 1024;
export const MAX_UNPACKED = 256 * 1024 * 1024;
export const MAX_ENTRIES = 100_000;
const MAX_SOULS = 1_000;
const MAX_LINES = 200_000;
const LINE_BREAK = 0x0a;

const count = z.int().min(0);
const manifestSchema = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  v: z.literal(ARCHIVE_VERSION),
  hub_id: z.string().min(1).max(64),
  counts: z.object({
    souls: count.max(MAX_SOULS),
    versions: count,
    rooms: count,
    lines: count.max(MAX_LINES),
    likes: count,
    ratings: count,
  }),
  files: z.array(z.object({ path: z.string(), size: count, sha256: z.string() })),
});
export type ReadManifest = z.infer<typeof manifestSchema>;

/**
 * Reads the manifest of an archive and compares every file with it, before anything is stored.
 * @throws FormatError for a manifest that is missing, and for a file that it does not name as it is
 */
export async function readManifest(zip: OpenZip): Promise<ReadManifest> {
  if (!zip.paths.includes("manifest.json")) {
    throw new FormatError("manifest.json", "is missing: the archive is incomplete");
  }
  const parsed = manifestSchema.safeParse(
    parseJson("manifest.json", await readWhole(zip, "manifest.json")),
  );
  if (!parsed.success) throw new FormatError("manifest.json", "is not that of an archive");
  const named = new Map(parsed.data.files.map((file) => [file.path, file]));
  let left = MAX_UNPACKED;
  for (const path of zip.paths) {
    if (path === "manifest.json") continue;
    const expected = named.get(path);
    if (!expected) throw new FormatError(path, "is not named by the manifest");
    named.delete(path);
    const sum = createHash("sha256");
    let size = 0;
    for await (const piece of zip.pieces(path)) {
      size += piece.length;
      left -= piece.length;
      if (left < 0) throw new FormatError(path, "makes the archive too large when unpacked");
      sum.update(piece);
    }
    if (size !== expected.size || sum.digest("hex") !== expected.sha256) {
      throw new FormatError(path, "differs from the manifest");
    }
  }
  const [missing] = named.keys();
  if (missing !== undefined) throw new FormatError(missing, "is missing");
  return parsed.data;
}

export async function readWhole(zip: OpenZip, path: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of zip.pieces(path)) {
    size += piece.length;
    if (size > MAX_IN_MEMORY) throw new FormatError(path, "is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads a list of JSON lines, each checked. A file that is missing has none. */
export async function* readLines<Line>(
  zip: OpenZip,
  path: string,
  schema: z.ZodType<Line>,
): AsyncGenerator<Line> {
  if (!zip.paths.includes(path)) return;
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
  const parsed = schema.safeParse(parseJson(path, line));
  if (!parsed.success) throw new FormatError(path, "has a line that is not as it must be");
  return parsed.data;
}

function parseJson(path: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw new FormatError(path, "is not valid JSON", cause);
  }
}
