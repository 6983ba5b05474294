import { FormatError } from "../format-error.ts";
import type { PackageFile } from "../soul-state.ts";
import { textOf } from "../text.ts";
import { isPng, type PngChunk, readPng, textChunk, toTextChunk } from "./png.ts";

/** The files of a package that hold an imported card. */
export const CARD_JSON = "card/card.json";
export const CARD_PNG = "card/card.png";

/** The keywords of a card's chunks: Character Card V3, and V2 or V1. */
export const V3_KEYWORD = "ccv3";
export const V2_KEYWORD = "chara";

const MAX_CARD_BYTES = 4 * 1024 * 1024;
const STRICT_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The card texts of a picture, by keyword. */
export interface CardTexts {
  ccv3?: string;
  chara?: string;
}

/**
 * Reads the cards in a picture's tEXt chunks. zTXt and iTXt are not read.
 * @throws FormatError
 */
export function cardTextsOf(chunks: readonly PngChunk[]): CardTexts {
  const found: CardTexts = {};
  for (const chunk of chunks) {
    const read = textChunk(chunk);
    if (!read || (read.keyword !== V3_KEYWORD && read.keyword !== V2_KEYWORD)) continue;
    if (found[read.keyword] !== undefined) continue;
    found[read.keyword] = decodeCard(read.text, read.keyword);
  }
  return found;
}

function decodeCard(encoded: Buffer, keyword: string): string {
  if (encoded.length > (MAX_CARD_BYTES / 3) * 4 + 4) throw tooLong(keyword);
  const base64 = encoded.toString("latin1");
  if (base64 === "" || base64.length % 4 !== 0 || !isBase64(base64)) {
    throw new FormatError(keyword, "is not base64");
  }
  return decodeCardJson(Buffer.from(base64, "base64"), keyword);
}

/** The regular expression runs on slices, since a match of megabytes could exhaust its stack. */
function isBase64(text: string): boolean {
  const SLICE = 64 * 1024;
  for (let at = 0; at < text.length; at += SLICE) {
    const slice = text.slice(at, at + SLICE);
    if (!STRICT_BASE64.test(slice)) return false;
    if (at + SLICE < text.length && slice.endsWith("=")) return false;
  }
  return true;
}

/** @throws FormatError for a text that is too long or not UTF-8 */
export function decodeCardJson(bytes: Uint8Array, at: string): string {
  if (bytes.length > MAX_CARD_BYTES) throw tooLong(at);
  const text = textOf(bytes);
  if (text === null) throw new FormatError(at, "is not UTF-8");
  return text;
}

const tooLong = (at: string) => new FormatError(at, "is a card of more than 4 MiB");

/**
 * Puts cards into a picture. A chunk that the picture has is replaced where it stands; a new one
 * goes before the first IDAT. All other chunks stay as they are.
 */
export function withCardTexts(chunks: readonly PngChunk[], texts: CardTexts): PngChunk[] {
  const missing = new Map(Object.entries(texts));
  const written = new Set<string>();
  const result = chunks.map((chunk) => {
    const keyword = textChunk(chunk)?.keyword ?? "";
    const text = texts[keyword as keyof CardTexts];
    if (text === undefined || written.has(keyword)) return chunk;
    written.add(keyword);
    missing.delete(keyword);
    return encode(keyword, text);
  });
  const at = result.findIndex(({ type }) => type === "IDAT");
  const added = [...missing].map(([keyword, text]) => encode(keyword, text));
  return result.toSpliced(at < 0 ? result.length - 1 : at, 0, ...added);
}

const encode = (keyword: string, text: string) =>
  toTextChunk(keyword, Buffer.from(text, "utf8").toString("base64"));

/** Returns the imported picture of a package, split into chunks; undefined without one. */
export function importedPicture(files: readonly PackageFile[]): PngChunk[] | undefined {
  const picture = files.find(({ path }) => path === CARD_PNG);
  if (!picture || !isPng(picture.bytes)) return undefined;
  try {
    return readPng(picture.bytes);
  } catch (error) {
    // The file came with a zip, and is no picture.
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
