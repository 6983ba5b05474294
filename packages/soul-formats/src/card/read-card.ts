import { cutFields, titleFrom } from "../cut-fields.ts";
import { FormatError } from "../format-error.ts";
import {
  isObject,
  type JsonObject,
  member,
  readJsonObject,
  textMember,
} from "../json/read-json.ts";
import { fileTypeOf, joinFiles, MAIN_FILE } from "../soul-files.ts";
import { fieldNames, type ImportedSoul, type ImportWarning } from "../soul-state.ts";
import { assertStorable, cut, sha256 } from "../text.ts";
import { loreOf } from "./lorebook.ts";

export type CardVersion = 1 | 2 | 3;

/** A Character Card, parsed. */
export interface Card {
  version: CardVersion;
  /** The object that holds the card's fields: `data`, and in V1 the card itself. */
  data: JsonObject;
  /** The version that the card names, for a warning about newer ones. */
  specVersion: string;
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

/** Reports whether a JSON object is a Character Card of any version. */
export const cardVersionOf = (json: JsonObject): CardVersion | null => {
  const spec = member(json, "spec");
  if (spec === "chara_card_v3") return 3;
  if (spec === "chara_card_v2") return 2;
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
  return { version, data, specVersion: textMember(json, "spec_version") };
}

/** The fields of a soul that a card carries, and what a reader should know. */
export type CardSoul = Pick<ImportedSoul, "content" | "file_type" | "fields" | "fallbackTitle"> & {
  warnings: ImportWarning[];
};

const NEWEST_SPEC = 3;

/**
 * Turns a card into the fields of a folder soul, one file a field.
 * @param own false to leave out what an export of this hub has added in `extensions.soul_hub`
 * @throws FormatError for a card without any text
 */
export function soulOfCard(card: Card, at: string, own = true): CardSoul {
  const { data } = card;
  const warnings: ImportWarning[] = [];
  const files: [string, string][] = fieldFiles
    .map(([file, field]): [string, string] => [file, textMember(data, field)])
    .filter(([, text]) => text !== "");
  const lore = loreOf(member(data, "character_book"));
  if (lore.text) files.push([LORE_FILE, lore.text]);
  if (files.every(([, text]) => text.trim() === ""))
    throw new FormatError(at, "is a card without any text");
  for (const [file, text] of files) assertStorable(text, `${at}: ${file}`);
  if (lore.left > 0) {
    warnings.push({
      path: LORE_FILE,
      message:
        lore.left === 1
          ? "leaves out an entry of the lorebook, which stays in the card"
          : `leaves out ${lore.left} entries of the lorebook, which stay in the card`,
    });
  }
  if (Number.parseFloat(card.specVersion) >= NEWEST_SPEC + 1) {
    warnings.push({
      path: at,
      message: `is of version ${cut(card.specVersion, 20)}, newer than this hub knows`,
    });
  }
  const fields = cutFields(
    { title: textMember(data, "name"), description: textMember(data, "creator_notes") },
    at,
    warnings,
  );
  const content = joinFiles(files);
  const plain: CardSoul = {
    content,
    file_type: "full_soul_folder",
    fields,
    fallbackTitle: titleFrom(textMember(data, "nickname"), "Imported character"),
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
