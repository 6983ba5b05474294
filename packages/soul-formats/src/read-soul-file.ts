import {
  CARD_JSON,
  CARD_PNG,
  type CardTexts,
  cardTextsOf,
  decodeCardJson,
  importedPicture,
  V2_KEYWORD,
  V3_KEYWORD,
} from "./card/card-text.ts";
import { isPng, readPng } from "./card/png.ts";
import { cardVersionOf, readCard, soulOfCard } from "./card/read-card.ts";
import { FormatError } from "./format-error.ts";
import { readJsonObject, textMember } from "./json/read-json.ts";
import { soulOfMarkdown } from "./markdown/soul-markdown.ts";
import { filesOf, folderFiles } from "./soul-files.ts";
import type { ImportedSoul, PackageFile } from "./soul-state.ts";
import { cut, hasControls, isZip, looksLikeJson, textOf } from "./text.ts";
import { readZip } from "./zip/read-zip.ts";
import { cardFileOf, isOwnFile, soulOfFiles } from "./zip/soul-zip.ts";

/** The largest file of an import. */
export const MAX_IMPORT_BYTES = 16 * 1024 * 1024;
/** The largest package of a soul. */
export const MAX_PACKAGE_BYTES = 16 * 1024 * 1024;
/** The most files of a soul, and entries of a zip. */
export const MAX_FILES_OF_SOUL = 500;
/** What the content of a soul can take beside its package: 200,000 characters of four bytes. */
const MAX_CONTENT_BYTES = 1024 * 1024;
/** The longest name in place of a macro, in characters. */
const MAX_NICKNAME = 200;

/**
 * Reads a file as a soul. The first bytes decide what the file is. Nothing is fetched, no picture
 * is decoded.
 * @param roles the category slugs
 * @throws FormatError for an unreadable, hostile or unrecognised file
 */
export async function readSoulFile(
  bytes: Uint8Array,
  roles: ReadonlySet<string>,
): Promise<ImportedSoul> {
  if (bytes.length === 0) throw new FormatError("", "is empty");
  if (bytes.length > MAX_IMPORT_BYTES) throw new FormatError("", "has more than 16 MiB");
  const read = await readAny(bytes, roles);
  const size = read.package.reduce((sum, file) => sum + file.bytes.length, 0);
  if (size > MAX_PACKAGE_BYTES)
    throw new FormatError("", "has more than 16 MiB beside its content");
  // The content of a card takes further files. With more than these, its export could not come back.
  if (read.package.length + Object.keys(filesOf(read)).length > MAX_FILES_OF_SOUL)
    throw new FormatError("", `becomes more than ${MAX_FILES_OF_SOUL} files`);
  return read;
}

async function readAny(bytes: Uint8Array, roles: ReadonlySet<string>): Promise<ImportedSoul> {
  if (isZip(bytes)) {
    const limits = {
      maxEntries: MAX_FILES_OF_SOUL,
      isUncounted: isOwnFile,
      // The package and the content together; what unpacks to more could not be kept.
      maxBytes: MAX_PACKAGE_BYTES + MAX_CONTENT_BYTES,
    };
    const files = await readZip(bytes, limits);
    const named = files.find(({ path }) => hasControls(path));
    if (named) throw new FormatError(named.path, "has a control character in its path");
    return soulOfFiles(files, roles);
  }
  if (isPng(bytes)) return soulOfPng(bytes);
  const text = textOf(bytes);
  if (text === null) throw new FormatError("", "is no zip, PNG, JSON or UTF-8 text");
  return looksLikeJson(text) ? soulOfJson(text, bytes) : soulOfMarkdown(text);
}

function soulOfPng(bytes: Uint8Array): ImportedSoul {
  const texts = cardTextsOf(readPng(bytes));
  const text = texts.ccv3 ?? texts.chara;
  if (text === undefined) {
    throw new FormatError(
      "",
      `has no tEXt chunk ${V3_KEYWORD} or ${V2_KEYWORD} with a character card`,
    );
  }
  const at = texts.ccv3 === undefined ? V2_KEYWORD : V3_KEYWORD;
  return ofCard(text, at, { path: CARD_PNG, bytes }, "card-png");
}

function soulOfJson(text: string, bytes: Uint8Array): ImportedSoul {
  const version = cardVersionOf(readJsonObject(text, ""));
  if (version) {
    const format = version === 3 ? "card-json" : version === 2 ? "card-v2-json" : "card-v1-json";
    decodeCardJson(bytes, "");
    return ofCard(text, "", { path: CARD_JSON, bytes }, format);
  }
  // The content of a folder soul, as the hub's own API has it.
  if (folderFiles(text)) return soulOfMarkdown(text);
  throw new FormatError("", "is JSON, but not a character card");
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
 * hold any file of this name. The picture has none if the card that counts cannot be read.
 */
export function cardTextsOfPackage(files: readonly PackageFile[]): CardTexts {
  const { ccv3, chara } = orAbsent(() => cardTextsOf(importedPicture(files) ?? [])) ?? {};
  if (ccv3 !== undefined && !isReadable(ccv3)) return {};
  return {
    ...(ccv3 === undefined ? {} : { ccv3 }),
    ...(chara !== undefined && isReadable(chara) ? { chara } : {}),
  };
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
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatError) return undefined;
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
  return cut(nickname.toWellFormed().replaceAll("\0", "").trim(), MAX_NICKNAME);
}
