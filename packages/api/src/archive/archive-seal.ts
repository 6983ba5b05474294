import { createHash } from "node:crypto";

/**
 * The last 40 bytes of an archive are a skippable frame of zstd (RFC 8878, section 3.1.2), which
 * other tools ignore. It contains the SHA-256 of all bytes before it. Node's decompression accepts
 * a file whose last bytes are missing, and a flipped bit can leave the content as it is.
 */
const FRAME_HEADER = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const SEAL_BYTES = FRAME_HEADER.length + 32;

/** Passes the bytes of an archive on, and adds the seal. */
export async function* addSeal(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.concat([FRAME_HEADER, hash.digest()]);
}

/**
 * Passes the bytes of an archive on, without the seal.
 * @throws Error at the end, if the seal is missing or does not match
 */
export async function* checkSeal(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let held = Buffer.alloc(0);
  for await (const chunk of bytes) {
    held = Buffer.concat([held, chunk]);
    const passed = held.subarray(0, Math.max(0, held.length - SEAL_BYTES));
    hash.update(passed);
    yield passed;
    held = held.subarray(passed.length);
  }
  if (!held.equals(Buffer.concat([FRAME_HEADER, hash.digest()]))) {
    throw new Error("its end is missing, or a byte was changed");
  }
}
