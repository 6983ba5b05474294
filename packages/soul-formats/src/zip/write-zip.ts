import { ZipFile } from "yazl";
import type { PackageFile } from "../soul-state.ts";

/** The earliest time that a zip can hold. The same files thus give the same bytes. */
export const FIXED_TIME = new Date(1980, 0, 1);
export const FILE_MODE = 0o100644;

/** Packs files into a zip, sorted by path. The same files give the same bytes. */
export async function writeZip(files: readonly PackageFile[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { path, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    zip.addBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), path, {
      mtime: FIXED_TIME,
      mode: FILE_MODE,
      forceDosTimestamp: true,
    });
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
