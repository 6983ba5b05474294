import {
  CARD_JSON,
  CARD_PNG,
  type CardTexts,
  cardKeywords,
  cardTextIn,
  decodeCardJson,
  importedPicture,
} from "./card/card-text.ts";
import { isAgnai, refusalOf } from "./card/foreign-json.ts";
import { isPng, readPng } from "./card/png.ts";
import { cardVersionOf, fieldFiles, readCard, soulOfCard } from "./card/read-card.ts";
import { FormatError } from "./format-error.ts";
import { isObject, readJson, textMember } from "./json/read-json.ts";
import { soulOfMarkdown } from "./markdown/soul-markdown.ts";
import { filesOf, folderFiles } from "./soul-files.ts";
import type { ImportedSoul, ImportWarning, PackageFile } from "./soul-state.ts";
import {
  cut,
  hasControls,
  isJpeg,
  isZip,
  looksLikeHtml,
  looksLikeJson,
  oneLine,
  textOf,
} from "./text.ts";
import { readZip } from "./zip/read-zip.ts";
import { cardFileOf, isNamedSoul, isOwnFile, soulOfFiles } from "./zip/soul-zip.ts";
import { isOfMacos } from "./zip/zip-path.ts";

/** The largest file of an import. */
export const MAX_IMPORT_BYTES = 16 * 1024 * 1024;
/** The largest package of a soul. */
export const MAX_PACKAGE_BYTES = 16 * 1024 * 1024;
/** The most files of a soul, and entries of a zip. */
export const MAX_FILES_OF_SOUL = 500;
/** What the content of a soul can take beside its package: 200,000 characters of four bytes. */
const MAX_CONTENT_BYTES = 1024 * 1024;
/** The end of a zip's directory, without a comment. */
const ZIP_END_BYTES = 22;
/** The longest name in place of a macro, in characters. */
const MAX_NICKNAME = 200;
/** Marks of a card in the bytes of a PNG or JSON. */
const LIKE_CARD =
  /(?:tEXt|zTXt|iTXt)(?:ccv3|chara)\0|"(?:chara_card_v\d{1,3}|first_mes|mes_example)"/i;

/**
 * Reads a file as a soul. The first bytes decide what the file is. Nothing is fetched, no picture
 * is decoded.
 * @param roles the category slugs
 * @param isMarkdown true for a text that its sender calls Markdown; otherwise JSON that is no card,
 *   and a web page, are refused
 * @throws FormatError for an unreadable, hostile or unrecognised file
 */
export async function readSoulFile(
  bytes: Uint8Array,
  roles: ReadonlySet<string>,
  isMarkdown = false,
): Promise<ImportedSoul> {
  if (bytes.length === 0) throw new FormatError("", "is empty");
  if (bytes.length > MAX_IMPORT_BYTES) throw new FormatError("", "has more than 16 MiB");
  const read = await readAny(bytes, roles, isMarkdown);
  const excess = excessOf(read);
  if (excess) throw new FormatError("", excess);
  return read;
}

/** Says why a package cannot be kept; undefined for one that can. */
function excessOf(soul: ImportedSoul): string | undefined {
  const size = soul.package.reduce((sum, file) => sum + file.bytes.length, 0);
  if (size > MAX_PACKAGE_BYTES) return "has more than 16 MiB beside its content";
  // The content of a card takes further files. With more than these, its export could not come back.
  const count = soul.package.length + Object.keys(filesOf(soul)).length;
  return count > MAX_FILES_OF_SOUL ? `becomes more than ${MAX_FILES_OF_SOUL} files` : undefined;
}

async function readAny(
  bytes: Uint8Array,
  roles: ReadonlySet<string>,
  isMarkdown: boolean,
): Promise<ImportedSoul> {
  if (isZip(bytes)) return soulOfZip(bytes, bytes, roles);
  if (isJpeg(bytes)) {
    const zip = appendedZip(bytes);
    const soul = zip && (await soulOfZip(zip, bytes, roles));
    if (soul?.format !== "charx") {
      throw new FormatError("", "is a JPEG without a character card behind it");
    }
    return within("imported/original.jpg", bytes, soul);
  }
  if (isPng(bytes)) return soulOfPng(bytes);
  const text = textOf(bytes);
  if (text === null) throw new FormatError("", "is no zip, PNG, JPEG, JSON or UTF-8 text");
  if (isMarkdown) return orAbsent(() => soulOfJson(text, bytes)) ?? soulOfMarkdown(text);
  if (looksLikeJson(text)) return soulOfJson(text, bytes);
  if (looksLikeHtml(text)) throw new FormatError("", "seems to be a web page");
  return soulOfMarkdown(text);
}

async function soulOfZip(
  zip: Uint8Array,
  bytes: Uint8Array,
  roles: ReadonlySet<string>,
): Promise<ImportedSoul> {
  const limits = {
    maxEntries: MAX_FILES_OF_SOUL,
    isUncounted: isOwnFile,
    // The package and the content together; what unpacks to more could not be kept.
    maxBytes: MAX_PACKAGE_BYTES + MAX_CONTENT_BYTES,
  };
  const warnings: ImportWarning[] = [];
  const files = await readZip(zip, limits, warnings);
  const named = files.find(({ path }) => hasControls(path));
  if (named) throw new FormatError(named.path, "has a control character in its path");
  const card = isNamedSoul(files) ? undefined : cardIn(files, warnings);
  const original = "imported/original.zip";
  const soul = card ? within(original, bytes, card.soul) : soulOfFiles(files, roles);
  if (card) {
    const isKept = soul.package.some(({ path }) => path === original);
    const message = isKept ? `stays only in ${original}` : "is left out";
    const others = files.filter(({ path }) => path !== card.path && !isOfMacos(path));
    warnings.push(...others.map(({ path }) => ({ path, message })));
  }
  return { ...soul, warnings: [...warnings, ...soul.warnings] };
}

/** Keeps the file that a card came in, beside the card. It is left out where both do not fit. */
function within(path: string, bytes: Uint8Array, soul: ImportedSoul): ImportedSoul {
  const outer = { path, bytes };
  const whole: ImportedSoul = {
    ...soul,
    package: [...soul.package, outer],
    files: [...soul.files, { ...outer, kept: "package" }],
  };
  const excess = excessOf(whole);
  if (!excess) return whole;
  const message = `is left out: with it, the soul ${excess}`;
  return { ...soul, warnings: [...soul.warnings, { path, message }] };
}

/**
 * Reads the one card among the files of a zip, and warns of those that cannot be read; undefined
 * without one.
 * @throws FormatError for several cards
 */
function cardIn(files: readonly PackageFile[], warnings: ImportWarning[]) {
  const found = files.flatMap(({ path, bytes }) => {
    const soul = orFault(() => cardOf(bytes));
    if (!(soul instanceof FormatError)) return soul ? [{ path, soul }] : [];
    if (LIKE_CARD.test(Buffer.from(bytes).toString("latin1"))) {
      const message = `looks like a card, but ${soul.at} ${soul.message}`;
      warnings.push({ path, message: oneLine(message) });
    }
    return [];
  });
  const [first, ...others] = found;
  if (others.length === 0) return first;
  const paths = [first, ...others].slice(0, 10).map((each) => each?.path);
  throw new FormatError(
    "",
    `holds several character cards, of which one can be imported: ${paths.join(", ")}`,
  );
}

/** Reads a file of a zip as a card; undefined for any other file. */
function cardOf(bytes: Uint8Array): ImportedSoul | undefined {
  if (isPng(bytes)) return soulOfPng(bytes);
  if (!looksLikeJson(Buffer.from(bytes.subarray(0, 20_000)).toString())) return undefined;
  const text = decodeCardJson(bytes, "");
  const soul = soulOfJson(text, bytes);
  if (soul.format !== "card-v1-json") return soul.format === "md" ? undefined : soul;
  // Any JSON with a name and a description, such as a package.json, reads as a card of version 1.
  const { data } = readCard(text, "");
  const has = (name: string) => Object.hasOwn(data, name);
  const count = fieldFiles.filter(([, field]) => has(field)).length;
  return count > 1 || has("character_book") ? soul : undefined;
}

/**
 * The zip behind a picture; undefined without one. Its end names its length, from which its beginning
 * follows. Where the offsets count from the beginning of the picture, that is the picture's.
 */
function appendedZip(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  if (end < 0 || end + ZIP_END_BYTES > buffer.length) return undefined;
  const directory = buffer.readUInt32LE(end + 12) + buffer.readUInt32LE(end + 16);
  return buffer.subarray(Math.max(0, end - directory));
}

/** Reads the first card that can be read, and warns of one before it. */
function soulOfPng(bytes: Uint8Array): ImportedSoul {
  const chunks = readPng(bytes);
  let fault: FormatError | undefined;
  for (const keyword of cardKeywords) {
    const read = orFault(() => {
      const text = cardTextIn(chunks, keyword);
      return text && ofCard(text, keyword, { path: CARD_PNG, bytes }, "card-png");
    });
    if (read instanceof FormatError) fault ??= read;
    else if (read) {
      const message = `${fault?.message}, so ${keyword} is read in its place`;
      const warnings = fault ? [{ path: fault.at, message }] : [];
      return { ...read, warnings: [...warnings, ...read.warnings] };
    }
  }
  const missing = `has no text chunk ${cardKeywords.join(" or ")} with a character card`;
  throw fault ?? new FormatError("", missing);
}

/** Reads a card, or the content of a folder soul as the hub's own API has it. */
function soulOfJson(text: string, bytes: Uint8Array): ImportedSoul {
  const json = readJson(text, "");
  const version = isObject(json) && !isAgnai(json) ? cardVersionOf(json) : null;
  if (version) {
    const format = version === 3 ? "card-json" : version === 2 ? "card-v2-json" : "card-v1-json";
    decodeCardJson(bytes, "");
    return ofCard(text, "", { path: CARD_JSON, bytes }, format);
  }
  if (folderFiles(text)) return soulOfMarkdown(text);
  throw new FormatError("", refusalOf(json));
}

function ofCard(
  text: string,
  at: string,
  file: PackageFile,
  format: ImportedSoul["format"],
): ImportedSoul {
  const soul = soulOfCard(readCard(text, at), at);
  return { ...soul, format, package: [file], files: [{ ...file, kept: "package" }] };
}

/**
 * The cards in the picture of a package. One that cannot be read counts as absent, since a zip may
 * hold any file of this name.
 */
export function cardTextsOfPackage(files: readonly PackageFile[]): CardTexts {
  const chunks = importedPicture(files) ?? [];
  const texts: CardTexts = {};
  for (const keyword of cardKeywords) {
    const text = orAbsent(() => cardTextIn(chunks, keyword));
    if (text !== undefined && isReadable(text)) texts[keyword] = text;
  }
  return texts;
}

/** The text of the card that a package came from; undefined for other packages. */
export function cardTextOf(files: readonly PackageFile[]): string | undefined {
  const file = cardFileOf(files);
  if (file?.path === CARD_JSON) {
    const text = orAbsent(() => decodeCardJson(file.bytes, CARD_JSON));
    return text !== undefined && isReadable(text) ? text : undefined;
  }
  const texts = cardTextsOfPackage(files);
  return texts.ccv3 ?? texts.chara;
}

/** Reports whether a text is a card that an import would take. */
const isReadable = (text: string): boolean =>
  orAbsent(() => soulOfCard(readCard(text, ""), "")) !== undefined;

function orAbsent<Value>(read: () => Value): Value | undefined {
  const value = orFault(read);
  return value instanceof FormatError ? undefined : value;
}

function orFault<Value>(read: () => Value): Value | FormatError {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

/**
 * The name by which the macros of a card call its character: its nickname. Null if the package came
 * from no card; empty if the card names none, so that the soul's title counts.
 */
export function cardNickname(files: readonly PackageFile[]): string | null {
  const text = cardTextOf(files);
  if (text === undefined) return null;
  const nickname = textMember(readCard(text, "card").data, "nickname");
  return cut(oneLine(nickname.toWellFormed()), MAX_NICKNAME);
}
