import { once } from "node:events";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { entryOptions } from "./write-zip.ts";

/** A file of a streamed zip: its path, and its bytes in pieces. */
export interface StreamedFile {
  path: string;
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * Packs files into a zip while they are read, one after another. Only pieces of one file are in
 * memory. The stream fails where a file fails, and the reading ends where the stream is destroyed.
 */
export function streamZip(files: AsyncIterable<StreamedFile>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const closed = new AbortController();
  output.once("close", () => closed.abort());
  const fill = async () => {
    for await (const { path, pieces } of files) {
      const content = Readable.from(pieces, { objectMode: false });
      // `once` hears an error until the output closes. A later one concerns no reader.
      content.on("error", () => {});
      const ended = once(content, "end", { signal: closed.signal });
      zip.addReadStream(content, path, entryOptions);
      await ended.finally(() => content.destroy());
    }
    zip.end();
  };
  fill().catch((error: unknown) => {
    output.destroy(error instanceof Error && error.name !== "AbortError" ? error : undefined);
  });
  return output;
}
