import { open } from "node:fs/promises";
import { ARCHIVE_FORMAT, FormatError, type OpenZip, openZip } from "@soul-hub/soul-formats";

/** What `manifest.json` of an account's archive says (0053). */
export interface Manifest {
  format: typeof ARCHIVE_FORMAT;
  counts: Record<"souls" | "versions" | "rooms" | "lines" | "likes" | "ratings", number>;
  files: { path: string; size: number; sha256: string }[];
}

/** For the archive of a whole account, which its owner has downloaded or brings along. */
export const ARCHIVE_LIMITS = { maxEntries: 1_000_000, maxBytes: 2 ** 40 };
export const MANIFEST = "manifest.json";
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;
const ZIP_BEGINNING = "PK";

/** Reads the manifest of an archive on disk; null for any other file. */
export async function manifestOf(file: string): Promise<Manifest | null> {
  if (!(await isZip(file))) return null;
  try {
    await using zip = await openZip(file, ARCHIVE_LIMITS);
    return zip.paths.includes(MANIFEST) ? await readManifest(zip) : null;
  } catch (error) {
    // The hub says what is wrong with the file.
    if (error instanceof FormatError) return null;
    throw error;
  }
}

async function isZip(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(ZIP_BEGINNING.length));
  return buffer.toString("latin1") === ZIP_BEGINNING;
}

async function readManifest(zip: OpenZip): Promise<Manifest | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of zip.pieces(MANIFEST)) {
    size += piece.length;
    if (size > MAX_MANIFEST_BYTES) throw new FormatError(MANIFEST, "is too large");
    pieces.push(piece);
  }
  try {
    const manifest: Manifest = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    return manifest.format === ARCHIVE_FORMAT ? manifest : null;
  } catch (cause) {
    throw new FormatError(MANIFEST, "is not valid JSON", cause);
  }
}
