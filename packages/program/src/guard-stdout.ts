import { fstatSync, writeSync } from "node:fs";
import { REFUSED } from "./failure.ts";

/**
 * Ends the process when its stdout can't be written: with an error, since the output is
 * incomplete, but silently when a reader such as `head` has enough.
 */
export function guardStdout({ stdout, stderr }: NodeJS.Process = process): void {
  stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(0);
    stderr.write(`The output can't be written to stdout: ${message}.\n`);
    process.exit(REFUSED);
  });
  if (!fstatSync(stdout.fd).isFile()) return;
  // A disk that fills up takes the first bytes of a write. Node's stream ignores the missing ones.
  stdout._write = (chunk: Buffer, _encoding, done) => {
    try {
      for (let at = 0; at < chunk.length; ) at += writeSync(stdout.fd, chunk, at);
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}
