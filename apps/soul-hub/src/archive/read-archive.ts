import { open } from "node:fs/promises";
import { Failure, memberOf } from "@soul-hub/program";
import { ARCHIVE_FORMAT, FormatError, type OpenZip, openZip } from "@soul-hub/soul-formats";

/** What `manifest.json` of an account's archive says (0053). */
export interface Manifest {
  format: typeof ARCHIVE_FORMAT;
  counts: Record<(typeof countNames)[number], number>;
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
    return zip.has(MANIFEST) ? await readManifest(zip) : null;
  } catch (error) {
    // The hub refuses a broken file, and its failure names the fault.
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
  const text = (await zip.read(MANIFEST, MAX_MANIFEST_BYTES)).toString("utf8");
  try {
    const manifest: unknown = JSON.parse(text);
    if (memberOf(manifest, "format") !== ARCHIVE_FORMAT) return null;
    if (isManifest(manifest)) return manifest;
  } catch (cause) {
    throw new FormatError(MANIFEST, "is not valid JSON", cause);
  }
  throw new Failure("import_invalid", `The archive's ${MANIFEST} is damaged.`);
}

export const countNames = ["souls", "versions", "rooms", "lines", "likes", "ratings"] as const;

function isManifest(manifest: unknown): manifest is Manifest {
  const [counts, files] = [memberOf(manifest, "counts"), memberOf(manifest, "files")];
  return (
    countNames.every((name) => Number.isSafeInteger(memberOf(counts, name))) &&
    Array.isArray(files) &&
    files.every(
      (file) =>
        typeof memberOf(file, "path") === "string" && Number.isSafeInteger(memberOf(file, "size")),
    )
  );
}
