import { ZipFile } from "yazl";
import type { PackageFile } from "../soul-state.ts";

/** The time is the earliest that a zip can hold. The same files thus give the same bytes. */
export const entryOptions = {
  mtime: new Date(1980, 0, 1),
  mode: 0o100644,
  forceDosTimestamp: true,
};

/** Packs files into a zip, sorted by path. The same files give the same bytes. */
export async function writeZip(files: readonly PackageFile[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { path, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    zip.addBuffer(buffer, path, entryOptions);
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
