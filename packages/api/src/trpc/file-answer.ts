import { Readable } from "node:stream";
import { z } from "zod";

/** A response that is a file. */
export const fileAnswer = z.object({
  /** The name under which a browser saves the file: ASCII without quotes. */
  name: z.string(),
  mediaType: z.string(),
  bytes: z.custom<Uint8Array | Readable>(
    (bytes) => bytes instanceof Uint8Array || bytes instanceof Readable,
  ),
});
export type FileAnswer = z.infer<typeof fileAnswer>;
