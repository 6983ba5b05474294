/**
 * Header bytes of a frame (RFC 6455 §5.2): an unfragmented text message, and lengths that need more
 * than one byte.
 */
const TEXT = 0x81;
const SHORT_MAX = 125;
const MEDIUM = 126;
const MEDIUM_MAX = 0xffff;
const LONG = 127;

const headerBytes = (length: number) => (length <= SHORT_MAX ? 2 : length <= MEDIUM_MAX ? 4 : 10);

/** Encodes each text as one server frame with the payload prefix + text + suffix. */
export function textFrames(prefix: string, texts: readonly string[], suffix: string): Buffer {
  const shared = Buffer.byteLength(prefix) + Buffer.byteLength(suffix);
  const lengths = texts.map((text) => shared + Buffer.byteLength(text));
  const total = lengths.reduce((sum, length) => sum + headerBytes(length) + length, 0);
  const frames = Buffer.allocUnsafe(total);
  let at = 0;
  texts.forEach((text, index) => {
    at = writeHeader(frames, at, lengths[index] ?? 0);
    at += frames.write(prefix, at);
    at += frames.write(text, at);
    at += frames.write(suffix, at);
  });
  return frames;
}

function writeHeader(frames: Buffer, at: number, length: number): number {
  frames[at] = TEXT;
  if (length <= SHORT_MAX) {
    frames[at + 1] = length;
  } else if (length <= MEDIUM_MAX) {
    frames[at + 1] = MEDIUM;
    frames.writeUInt16BE(length, at + 2);
  } else {
    frames[at + 1] = LONG;
    frames.writeBigUInt64BE(BigInt(length), at + 2);
  }
  return at + headerBytes(length);
}
