import { inflateSync } from "node:zlib";
import { FormatError } from "../format-error.ts";
import type { PackageFile } from "../soul-state.ts";
import { textOf } from "../text.ts";
import { isPng, type PngChunk, readPng, type TextChunk, textChunk, toTextChunk } from "./png.ts";

/** The files of a package that hold an imported card. */
export const CARD_JSON = "card/card.json";
export const CARD_PNG = "card/card.png";

/** The keywords of a card's chunks: Character Card V3, and V2 or V1. */
const V3_KEYWORD = "ccv3";
const V2_KEYWORD = "chara";

const MAX_CARD_BYTES = 4 * 1024 * 1024;
/** The same in base64, with line breaks. */
const MAX_ENCODED_BYTES = 6 * 1024 * 1024;
const STRICT_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The keywords of cards, in the order in which an import tries them. */
export const cardKeywords = [V3_KEYWORD, V2_KEYWORD] as const;
type CardKeyword = (typeof cardKeywords)[number];

/** The card texts of a picture, by keyword. */
export type CardTexts = { [Keyword in CardKeyword]?: string };

/** The keyword of a card's chunk, which old programs write in other letter case. */
function cardKeyword(chunk: PngChunk): CardKeyword | undefined {
  const keyword = textChunk(chunk)?.keyword.toLowerCase();
  return cardKeywords.find((known) => known === keyword);
}

/**
 * Reads a card in the first of a picture's chunks tEXt, zTXt and iTXt with its keyword.
 * @returns undefined without such a chunk
 * @throws FormatError
 */
export function cardTextIn(chunks: readonly PngChunk[], keyword: CardKeyword): string | undefined {
  const found = chunks.find((chunk) => cardKeyword(chunk) === keyword);
  const read = found && textChunk(found);
  return read ? decodeCard(read, keyword) : undefined;
}

function decodeCard({ text, isCompressed }: TextChunk, keyword: string): string {
  const encoded = isCompressed ? inflated(text, keyword) : text;
  if (encoded.length > MAX_ENCODED_BYTES) throw tooLong(keyword);
  // Some programs break base64 into lines, as mails do.
  const base64 = encoded.toString("latin1").replaceAll(/[ \t\r\n]+/g, "");
  if (base64 === "" || base64.length % 4 !== 0 || !isBase64(base64)) {
    throw new FormatError(keyword, "is not base64");
  }
  return decodeCardJson(Buffer.from(base64, "base64"), keyword);
}

/** Inflates a text, and stops at the limit: a small chunk could fill the memory. */
function inflated(text: Buffer, keyword: string): Buffer {
  try {
    return inflateSync(text, { maxOutputLength: MAX_ENCODED_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLong(keyword);
    throw new FormatError(keyword, "cannot be unpacked", cause);
  }
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
 * Puts cards into a picture, as tEXt. A chunk that the picture has is replaced where it stands, and
 * others with its keyword go. A new one goes before the first IDAT. All other chunks stay.
 */
export function withCardTexts(
  chunks: readonly PngChunk[],
  texts: Record<CardKeyword, string>,
): PngChunk[] {
  const missing = new Set<CardKeyword>([V2_KEYWORD, V3_KEYWORD]);
  const result = chunks.flatMap((chunk) => {
    const keyword = cardKeyword(chunk);
    if (!keyword) return [chunk];
    return missing.delete(keyword) ? [encode(keyword, texts[keyword])] : [];
  });
  const at = result.findIndex(({ type }) => type === "IDAT");
  const added = Array.from(missing, (keyword) => encode(keyword, texts[keyword]));
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
