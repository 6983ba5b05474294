import { cutFields, titleFrom } from "../cut-fields.ts";
import { FormatError } from "../format-error.ts";
import {
  isAbsent,
  isObject,
  type JsonObject,
  member,
  readJsonObject,
  textMember,
  versionMember,
} from "../json/read-json.ts";
import { fileTypeOf, joinFiles, MAIN_FILE } from "../soul-files.ts";
import { fieldNames, type ImportedSoul, type ImportWarning } from "../soul-state.ts";
import { assertStorable, cut, isNewer, sha256 } from "../text.ts";
import { loreOf } from "./lorebook.ts";

export type CardVersion = 1 | 2 | 3;

/** A Character Card, parsed. */
export interface Card {
  version: CardVersion;
  /** The object that holds the card's fields: `data`, and in V1 the card itself. */
  data: JsonObject;
  /** The versions that the card names, for a warning about newer ones. */
  versions: string[];
}

export const LORE_FILE = "LORE.md";

/** The file of each field that a prompt contains, in the order of the folder. */
export const fieldFiles = [
  [MAIN_FILE, "description"],
  ["PERSONALITY.md", "personality"],
  ["SCENARIO.md", "scenario"],
  ["SYSTEM.md", "system_prompt"],
  ["RULES.md", "post_history_instructions"],
  ["EXAMPLES.md", "mes_example"],
  ["GREETING.md", "first_mes"],
] as const;

const V1_FIELDS = ["description", "personality", "scenario", "first_mes", "mes_example"];
/** All fields that an import reads as text. */
const textFields = ["name", "nickname", "creator_notes", ...fieldFiles.map(([, field]) => field)];
const readFields = new Set([...textFields, "character_book", "extensions", "spec", "spec_version"]);

const specOf = (json: JsonObject) =>
  /^chara_card_v(\d{1,3})$/.exec(textMember(json, "spec"))?.[1] ?? "";

/** Reports whether a JSON object is a Character Card. One of a later version is read as V3. */
export const cardVersionOf = (json: JsonObject): CardVersion | null => {
  const spec = Number(specOf(json));
  if (spec >= 2) return spec === 2 ? 2 : 3;
  const isV1 =
    typeof member(json, "name") === "string" &&
    V1_FIELDS.some((name) => typeof member(json, name) === "string");
  return isV1 ? 1 : null;
};

/** @throws FormatError for a text that is no card */
export function readCard(text: string, at: string): Card {
  const json = readJsonObject(text, at);
  const version = cardVersionOf(json);
  if (!version) throw new FormatError(at, "is not a character card of version 1, 2 or 3");
  const data = version === 1 ? json : member(json, "data");
  if (!isObject(data)) throw new FormatError(at, "has no `data`");
  return { version, data, versions: [specOf(json), versionMember(json, "spec_version")] };
}

/** The fields of a soul that a card carries, and what a reader should know. */
export type CardSoul = Pick<ImportedSoul, "content" | "file_type" | "fields" | "fallbackTitle"> & {
  warnings: ImportWarning[];
};

/** What an import of a card leaves out or does not know, beside its lorebook. */
function warningsOf({ version, versions, data }: Card, path: string): ImportWarning[] {
  const messages: string[] = [];
  const newer = versions.find((given) => isNewer(given, version === 2 ? "2.0" : "3.0"));
  if (newer) messages.push(`is of version ${cut(newer, 20)}, which this hub does not know`);
  for (const name of textFields) {
    const value = member(data, name);
    if (isAbsent(value) || typeof value === "string") continue;
    messages.push(`has a field ${name} that is no text, and stays in the card`);
  }
  // V1 has no place for fields of programs, so these may be all that the file says.
  const further = Object.keys(data).filter((name) => !readFields.has(name) && data[name]);
  if (version === 1 && further.length > 0) {
    messages.push(`has fields that only stay in the card: ${cut(further.join(", "), 200)}`);
  }
  return messages.map((message) => ({ path, message }));
}

/**
 * Turns a card into the fields of a folder soul, one file a field.
 * @param own false to leave out what an export of this hub has added in `extensions.soul_hub`
 * @throws FormatError for a card without any text
 */
export function soulOfCard(card: Card, at: string, own = true): CardSoul {
  const { data } = card;
  const warnings = warningsOf(card, at);
  const files: [string, string][] = fieldFiles
    .map(([file, field]): [string, string] => [file, textMember(data, field)])
    .filter(([, text]) => text !== "");
  const lore = loreOf(member(data, "character_book"));
  if (lore.text) files.push([LORE_FILE, lore.text]);
  if (files.every(([, text]) => text.trim() === ""))
    throw new FormatError(at, "is a card without any text");
  for (const [file, text] of files) assertStorable(text, `${at}: ${file}`);
  warnings.push(...lore.leftOut.map((message) => ({ path: LORE_FILE, message })));
  const fields = cutFields(
    { title: textMember(data, "name"), description: textMember(data, "creator_notes") },
    at,
    warnings,
  );
  const fallbackTitle = titleFrom(textMember(data, "nickname"), "Imported character");
  if (fields.title === undefined) {
    warnings.push({ path: at, message: `has no name; a new soul is called “${fallbackTitle}”` });
  }
  const content = joinFiles(files);
  const plain: CardSoul = {
    content,
    file_type: "full_soul_folder",
    fields,
    fallbackTitle,
    warnings,
  };
  return own ? withOverrides(plain, data) : plain;
}

/** Where an export of this hub puts what a card has no field for. */
export const OWN_EXTENSION = "soul_hub";

/** A value that a card has no field for. It counts while the card still yields the same other value. */
interface Override {
  /** The SHA-256 of the value that the card yields without the override. */
  of: string;
  value: string;
}

export type Overrides = { [Name in OverriddenName]?: Override };
export const overriddenNames = [...fieldNames, "file_type", "content"] as const;
type OverriddenName = (typeof overriddenNames)[number];

function withOverrides(plain: CardSoul, data: JsonObject): CardSoul {
  const given = member(member(data, "extensions"), OWN_EXTENSION);
  if (!isObject(given)) return plain;
  const read = { ...plain, fields: { ...plain.fields } };
  for (const name of overriddenNames) {
    const override = member(given, name);
    const value = member(override, "value");
    if (typeof value !== "string" || !value.isWellFormed() || value.includes("\0")) continue;
    if (member(override, "of") !== sha256(plainValue(plain, name))) continue;
    if (name === "file_type") {
      const main = (JSON.parse(plain.content) as Record<string, string>)[MAIN_FILE];
      if (value === "single_md" && main !== undefined) read.content = main;
    } else if (name === "content") read.content = value;
    else Object.assign(read.fields, cutFields({ [name]: value }, name, []));
  }
  return { ...read, file_type: fileTypeOf(read.content) };
}

/** The value of a field without overrides; a field that a card never carries has its default. */
export function plainValue(
  { content, fields, fallbackTitle }: CardSoul,
  name: OverriddenName,
): string {
  if (name === "content" || name === "file_type") return content;
  const defaults = {
    title: fallbackTitle,
    description: "",
    role: "Other",
    domain: "",
    compatibility: "any",
  };
  return fields[name] ?? defaults[name];
}
