/** RFC 6455 §5.2: a whole text message, and lengths that don't fit in the second byte. */
const TEXT = 0x81;
const SHORT_MAX = 125;
const MEDIUM = 126;
const MEDIUM_MAX = 0xffff;
const LONG = 127;

const headBytes = (length: number) => (length <= SHORT_MAX ? 2 : length <= MEDIUM_MAX ? 4 : 10);

/** WebSocket text frames as a server sends them, one after the other: each begin + text + end. */
export function textFrames(begin: string, texts: readonly string[], end: string): Buffer {
  const frame = Buffer.byteLength(begin) + Buffer.byteLength(end);
  const lengths = texts.map((text) => frame + Buffer.byteLength(text));
  const total = lengths.reduce((sum, length) => sum + headBytes(length) + length, 0);
  const frames = Buffer.allocUnsafe(total);
  let at = 0;
  texts.forEach((text, index) => {
    at = writeHead(frames, at, lengths[index] ?? 0);
    at += frames.write(begin, at);
    at += frames.write(text, at);
    at += frames.write(end, at);
  });
  return frames;
}

function writeHead(frames: Buffer, at: number, length: number): number {
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
  return at + headBytes(length);
}
