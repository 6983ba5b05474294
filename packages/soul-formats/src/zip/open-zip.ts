import { once } from "node:events";
import yauzl from "yauzl";
import { FormatError } from "../format-error.ts";
import type { ImportWarning } from "../soul-state.ts";
import { checkedEntries, unpacked, type ZipLimits, zipFile } from "./read-zip.ts";
import { topFolderOf, withoutTop } from "./zip-path.ts";

/** A zip on disk whose directory has been checked. */
export interface OpenZip extends AsyncDisposable {
  /** The paths of its files, in the order of its directory, without a folder around everything. */
  paths: readonly string[];
  warnings: readonly ImportWarning[];
  has(path: string): boolean;
  /** Unpacks a file in pieces, up to the limit. The caller bounds the sum of what it reads. */
  pieces(path: string): AsyncGenerator<Buffer>;
  /** Unpacks a file into memory. @throws FormatError for one with more bytes */
  read(path: string, maxBytes: number): Promise<Buffer>;
}

/**
 * Opens a zip on disk, without unpacking anything.
 * @throws FormatError for a broken or hostile zip
 */
export async function openZip(file: string, limits: ZipLimits): Promise<OpenZip> {
  const zip = await zipFile((options) => yauzl.openPromise(file, options));
  const close = async () => {
    const closed = once(zip, "close");
    zip.close();
    await closed;
  };
  try {
    const warnings: ImportWarning[] = [];
    const entries = await checkedEntries(zip, limits, warnings);
    const top = topFolderOf(entries.map(({ fileName }) => fileName));
    const byPath = new Map(entries.map((entry) => [withoutTop(entry.fileName, top), entry]));
    const pieces = (path: string) => {
      const entry = byPath.get(path);
      if (!entry) throw new FormatError(path, "is missing");
      return unpacked(zip, entry, limits.maxBytes, "is too large when unpacked");
    };
    return {
      paths: [...byPath.keys()],
      warnings,
      has: (path) => byPath.has(path),
      pieces,
      async read(path, maxBytes) {
        const read: Buffer[] = [];
        let size = 0;
        for await (const piece of pieces(path)) {
          size += piece.length;
          if (size > maxBytes) throw new FormatError(path, "is too large");
          read.push(piece);
        }
        return Buffer.concat(read);
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
