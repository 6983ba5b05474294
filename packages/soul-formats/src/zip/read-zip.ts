import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import yauzl, { type Entry, type Options, type ZipFile } from "yauzl";
import { FormatError } from "../format-error.ts";
import type { ImportWarning, PackageFile } from "../soul-state.ts";
import { assertPathsFit, topFolderOf, withoutTop } from "./zip-path.ts";

export interface ZipLimits {
  /** The most files. As many folders may come with them. */
  maxEntries: number;
  /** Files that do not count, by their paths; at most {@link MAX_UNCOUNTED} of them. */
  isUncounted?: (path: string) => boolean;
  /** The largest sum of unpacked bytes: as the headers claim, and counted while they are unpacked. */
  maxBytes: number;
}

/** Content files, meta file and manifest that an export may add to a full package. */
const MAX_UNCOUNTED = 60;
const UNIX_FILE_TYPE = 0o170000;
const UNIX_SYMLINK = 0o120000;
const STORED = 0;
const DEFLATED = 8;
/** The flag of an entry whose name is UTF-8. */
const UTF8_NAME = 0x800;

/**
 * Unpacks a zip into memory, in the order of its directory. Folders are checked and left out.
 * Archives within the zip stay as they are.
 * @param warnings receives a warning for each name that had to be guessed
 * @throws FormatError for a broken or hostile zip: no size of a header is believed
 */
export async function readZip(
  bytes: Uint8Array,
  limits: ZipLimits,
  warnings: ImportWarning[] = [],
): Promise<PackageFile[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await zipFile((options) => yauzl.fromBufferPromise(buffer, options));
  const entries = await checkedEntries(zip, limits, warnings);
  const files: PackageFile[] = [];
  let left = limits.maxBytes;
  for (const entry of entries) {
    const pieces: Buffer[] = [];
    for await (const piece of unpacked(zip, entry, left, TOO_LARGE)) pieces.push(piece);
    const content = Buffer.concat(pieces);
    left -= content.length;
    files.push({ path: entry.fileName, bytes: content });
  }
  return files;
}

const TOO_LARGE = "makes the zip too large when unpacked";

/**
 * Opens a zip, in memory or on disk, with the checks that yauzl itself has.
 * @throws FormatError for bytes that are no zip
 */
export async function zipFile(open: (options: Options) => Promise<ZipFile>): Promise<ZipFile> {
  try {
    return await open({
      autoClose: false,
      // The names are decoded below.
      decodeStrings: false,
      lazyEntries: true,
      strictFileNames: true,
      validateEntrySizes: true,
    });
  } catch (cause) {
    throw new FormatError("", "is not a readable zip", cause);
  }
}

/**
 * Reads the directory of a zip, and returns its files.
 * @throws FormatError for a hostile or broken entry, and for too many
 */
export async function checkedEntries(
  zip: ZipFile,
  { maxEntries, maxBytes, isUncounted = () => false }: ZipLimits,
  warnings: ImportWarning[],
): Promise<Entry[]> {
  const tooMany = () => new FormatError("", `has more than ${maxEntries} entries`);
  if (zip.entryCount > 2 * maxEntries + MAX_UNCOUNTED) throw tooMany();
  const entries: Entry[] = [];
  let claimed = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      entry.fileName = nameOf(entry, warnings);
      assertPlain(entry);
      claimed += entry.uncompressedSize;
      if (claimed > maxBytes) throw new FormatError(entry.fileName, TOO_LARGE);
      // Some programs pack the folder itself.
      if (entry.fileName !== "./") entries.push(entry);
    }
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    throw new FormatError("", "has a directory that cannot be read", cause);
  }
  const files = entries.filter(({ fileName }) => !fileName.endsWith("/"));
  // The folder around everything is stripped later, and must not make a path too deep.
  const top = topFolderOf(files.map(({ fileName }) => fileName));
  const paths = entries.map(({ fileName }) => withoutTop(fileName, top)).filter(Boolean);
  if (top) assertPathsFit([top]);
  assertPathsFit(paths);
  const counted = paths.filter((path) => !path.endsWith("/") && !isUncounted(path));
  if (counted.length > maxEntries) throw tooMany();
  await assertApart(zip, entries);
  return files;
}

/**
 * Decodes the name of an entry. Many programs write UTF-8 without its flag, so bytes that are UTF-8
 * count as such. Info-ZIP's field for a Unicode path comes first, if its checksum fits.
 */
function nameOf({ fileNameRaw, extraFields }: Entry, warnings: ImportWarning[]): string {
  const named = extraFields.filter(({ data }) => isUtf8(data.subarray(5)));
  const flags = isUtf8(fileNameRaw) ? UTF8_NAME : 0;
  const name = yauzl.getFileNameLowLevel(flags, fileNameRaw, named, true);
  if (flags === 0 && name === yauzl.getFileNameLowLevel(0, fileNameRaw, [], true)) {
    warnings.push({ path: name, message: "has a name that is not UTF-8, and was read as CP437" });
  }
  return name.replace(/^\.\/(?=.)/, "");
}

function assertPlain(entry: Entry): void {
  const { fileName, compressionMethod, externalFileAttributes } = entry;
  if (entry.isEncrypted()) throw new FormatError(fileName, "is encrypted");
  if (((externalFileAttributes >>> 16) & UNIX_FILE_TYPE) === UNIX_SYMLINK) {
    throw new FormatError(fileName, "is a symbolic link");
  }
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) {
    throw new FormatError(fileName, "is packed with an unknown method");
  }
  if (fileName.endsWith("/") && entry.uncompressedSize > 0) {
    throw new FormatError(fileName, "is a folder with content");
  }
}

/** Entries that share bytes unpack to far more than the zip holds, so no two may overlap. */
async function assertApart(zip: ZipFile, entries: readonly Entry[]): Promise<void> {
  const spans: { start: number; end: number; path: string }[] = [];
  for (const entry of entries) {
    const path = entry.fileName;
    try {
      const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
      const end = fileDataStart + entry.compressedSize;
      spans.push({ start: entry.relativeOffsetOfLocalHeader, end, path });
    } catch (cause) {
      throw new FormatError(path, "has no readable header", cause);
    }
  }
  spans.sort((a, b) => a.start - b.start);
  for (const [at, { start, path }] of spans.entries()) {
    const before = spans[at - 1];
    if (before && start < before.end) throw new FormatError(path, "overlaps another entry");
  }
}

/**
 * Unpacks an entry in pieces.
 * @param tooLarge the fault of an entry with more bytes
 */
export async function* unpacked(
  zip: ZipFile,
  entry: Entry,
  maxBytes: number,
  tooLarge: string,
): AsyncGenerator<Buffer> {
  const path = entry.fileName;
  let size = 0;
  let sum = 0;
  try {
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      size += piece.length;
      if (size > maxBytes) throw new FormatError(path, tooLarge);
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    throw new FormatError(path, "cannot be unpacked", cause);
  }
  if (sum !== entry.crc32) throw new FormatError(path, "has a wrong checksum");
}
