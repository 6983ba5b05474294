import { crc32, deflateSync } from "node:zlib";
import { FormatError } from "../format-error.ts";

// PNG, third edition, section 5: a signature, then chunks of length, type, data and CRC.

export interface PngChunk {
  type: string;
  data: Uint8Array;
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const MAX_CHUNKS = 10_000;
const CHUNK_FRAME_BYTES = 12;
const MAX_KEYWORD = 79;

export const isPng = (bytes: Uint8Array): boolean =>
  SIGNATURE.every((byte, at) => bytes[at] === byte);

/**
 * Splits a PNG into its chunks. The picture itself is not decoded.
 * @throws FormatError naming the chunk
 */
export function readPng(bytes: Uint8Array): PngChunk[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isPng(bytes)) throw new FormatError("", "has no PNG signature");
  const chunks: PngChunk[] = [];
  let at = SIGNATURE.length;
  while (at < buffer.length) {
    const name = `chunk ${chunks.length + 1}`;
    if (at + CHUNK_FRAME_BYTES > buffer.length) throw new FormatError(name, "is cut off");
    const length = buffer.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > buffer.length) throw new FormatError(name, "is cut off");
    const type = buffer.toString("latin1", at + 4, at + 8);
    if (crc32(buffer.subarray(at + 4, end)) !== buffer.readUInt32BE(end)) {
      throw new FormatError(name, "has a wrong checksum");
    }
    chunks.push({ type, data: buffer.subarray(at + 8, end) });
    if (chunks.length > MAX_CHUNKS) throw new FormatError("", `has more than ${MAX_CHUNKS} chunks`);
    at = end + 4;
    if (type === "IEND") break;
  }
  if (chunks[0]?.type !== "IHDR") throw new FormatError("chunk 1", "is not the header");
  if (chunks.at(-1)?.type !== "IEND") throw new FormatError("", "has no end");
  // Some programs append bytes to a picture. They are kept, as all else.
  if (at < buffer.length) chunks.push({ type: "", data: buffer.subarray(at) });
  return chunks;
}

export const writePng = (chunks: readonly PngChunk[]): Buffer =>
  Buffer.concat([
    SIGNATURE,
    ...chunks.flatMap(({ type, data }) => (type ? frame(type, data) : [data])),
  ]);

function frame(type: string, data: Uint8Array): Uint8Array[] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, "latin1");
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
  return [head, data, tail];
}

export interface TextChunk {
  keyword: string;
  /** The text as it stands in the chunk. */
  text: Buffer;
  isCompressed: boolean;
}

/** Splits the data of a text chunk (section 11.3.3); null for every other chunk. */
export function textChunk({ type, data }: PngChunk): TextChunk | null {
  if (!/^(?:tEXt|zTXt|iTXt)$/.test(type)) return null;
  const end = data.indexOf(0);
  if (end < 0 || end > MAX_KEYWORD) return null;
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const keyword = buffer.toString("latin1", 0, end);
  const rest = buffer.subarray(end + 1);
  if (type === "tEXt") return { keyword, text: rest, isCompressed: false };
  // A byte names the method of compression, of which there is one.
  if (type === "zTXt") return { keyword, text: rest.subarray(1), isCompressed: true };
  // Two bytes for the compression, then a language and the keyword in it, each up to a NUL.
  const language = rest.indexOf(0, 2);
  const translated = language < 0 ? -1 : rest.indexOf(0, language + 1);
  const text = translated < 0 ? rest.subarray(0, 0) : rest.subarray(translated + 1);
  return { keyword, text, isCompressed: rest[0] === 1 };
}

export const toTextChunk = (keyword: string, text: string): PngChunk => ({
  type: "tEXt",
  data: Buffer.from(`${keyword}\0${text}`, "latin1"),
});

const PLAIN_SIZE = 512;
/** The plain picture's grey, 0 to 255. */
const PLAIN_GREY = 0x6b;

/** Draws a plain picture, for a soul that was imported without one. */
export function plainPicture(): PngChunk[] {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(PLAIN_SIZE, 0);
  header.writeUInt32BE(PLAIN_SIZE, 4);
  // 8 bits a pixel, greyscale; compression, filter and interlace of the standard.
  header[8] = 8;
  const rows = Buffer.alloc((PLAIN_SIZE + 1) * PLAIN_SIZE, PLAIN_GREY);
  for (let row = 0; row < PLAIN_SIZE; row++) rows[row * (PLAIN_SIZE + 1)] = 0;
  return [
    { type: "IHDR", data: header },
    { type: "IDAT", data: deflateSync(rows, { level: 9 }) },
    { type: "IEND", data: Buffer.alloc(0) },
  ];
}
