import {
  applyEdits,
  itemsAt,
  type JsonRange,
  memberAt,
  membersAt,
  setMember,
  setMembersAt,
  type TextEdit,
  wholeValue,
} from "../json/json-text.ts";
import { isObject, member, textMember } from "../json/read-json.ts";
import { filesOf, MAIN_FILE } from "../soul-files.ts";
import { type ExportNames, fieldNames, type SoulTexts } from "../soul-state.ts";
import { sha256, withoutBom } from "../text.ts";
import { constantEntry, isReadAsLore, keyedEntry, loreOf } from "./lorebook.ts";
import {
  type Card,
  type CardSoul,
  type CardVersion,
  fieldFiles,
  LORE_FILE,
  type Overrides,
  OWN_EXTENSION,
  overriddenNames,
  plainValue,
  readCard,
  soulOfCard,
} from "./read-card.ts";

/** A file whose texts are suggestions for people; no prompt has it. */
const STARTERS_FILE = "STARTERS.md";

/**
 * Writes a soul as a card.
 * @param base the text of the imported card; without one the card is made anew
 * @returns the text of `base`, character for character, where it already yields this soul
 */
export function writeCard(
  soul: SoulTexts,
  version: 2 | 3,
  names: ExportNames,
  base: string | undefined,
): string {
  if (base !== undefined) {
    const card = readCard(base, "card");
    if (card.version === version && cardYields(card, soul)) return base;
  }
  const text = asVersion(base ?? newCard(names, soul), version);
  const { data } = readCard(text, "card");
  const changed = [...wantedFields(soul)].filter(
    ([name, value]) => !isSame(data, name, value, soul),
  );
  const fields = changed.map(([name, value]) => [name, JSON.stringify(value)] as const);
  const withFields = setMembersAt(text, ["data"], fields);
  const book = member(data, "character_book");
  return withOwnExtension(withLore(withFields, book, filesOf(soul)[LORE_FILE] ?? ""), soul);
}

/** Reports whether the text of a card yields exactly this soul. */
export const yields = (text: string, soul: SoulTexts): boolean =>
  cardYields(readCard(text, "card"), soul);

function cardYields(card: Card, soul: SoulTexts): boolean {
  const read = soulOfCard(card, "card");
  return (
    read.content === soul.content &&
    fieldNames.every((name) => plainValue(read, name) === soul[name])
  );
}

/** The values of a card's fields for a soul. */
function wantedFields(soul: SoulTexts): Map<string, string> {
  const files = filesOf(soul);
  const known = new Set<string>([...fieldFiles.map(([file]) => file), LORE_FILE, STARTERS_FILE]);
  const wanted = new Map<string, string>([
    ["name", soul.title],
    ["creator_notes", soul.description],
  ]);
  for (const [file, field] of fieldFiles) wanted.set(field, files[file] ?? "");
  // Other programs know no further files, so these follow the description.
  const further = Object.entries(files)
    .filter(([name]) => !known.has(name))
    .map(([name, text]) => `--- ${name} ---\n${text}`);
  if (further.length > 0) {
    wanted.set("description", [files[MAIN_FILE] ?? "", ...further].filter(Boolean).join("\n\n"));
  }
  // A card without any text could not be imported again.
  const isBlank = fieldFiles.every(([, field]) => !wanted.get(field)?.trim());
  if (isBlank && !isReadAsLore(files[LORE_FILE] ?? "")) wanted.set("description", soul.content);
  return wanted;
}

/** A title or description counts as unchanged where the card's longer text was cut to it. */
function isSame(data: Card["data"], name: string, value: string, soul: SoulTexts): boolean {
  if (textMember(data, name) === value) return true;
  if (name !== "name" && name !== "creator_notes") return false;
  const cutTo = soulFieldsOf(data);
  return name === "name" ? cutTo.title === soul.title : cutTo.description === soul.description;
}

function soulFieldsOf(data: Card["data"]): { title: string; description: string } {
  const { name = "", nickname = "", creator_notes = "" } = data;
  const fields = { name, nickname, creator_notes, description: "-" };
  const card: Card = { version: 1, data: fields, versions: [] };
  const read = soulOfCard(card, "card", false);
  return { title: plainValue(read, "title"), description: plainValue(read, "description") };
}

function newCard({ author, version }: ExportNames, { role, domain }: SoulTexts): string {
  return JSON.stringify({
    spec: "chara_card_v3",
    spec_version: "3.0",
    data: {
      name: "",
      description: "",
      personality: "",
      scenario: "",
      first_mes: "",
      mes_example: "",
      creator_notes: "",
      system_prompt: "",
      post_history_instructions: "",
      alternate_greetings: [],
      group_only_greetings: [],
      tags: [role, domain].filter((tag) => tag !== "" && tag !== "Other"),
      creator: author,
      character_version: version,
      extensions: {},
    },
  });
}

const specs = {
  2: ["chara_card_v2", "2.0"],
  3: ["chara_card_v3", "3.0"],
} as const;

/** Names another version in a card. Its fields stay: a reader skips those that it does not know. */
function asVersion(text: string, version: 2 | 3): string {
  const present: CardVersion = readCard(text, "card").version;
  if (present === version) return text;
  const [spec, specVersion] = specs[version];
  if (present === 1) {
    const v1 = withoutBom(text).trim();
    return `{"spec":"${spec}","spec_version":"${specVersion}","data":${v1}}`;
  }
  const named = setMembersAt(
    text,
    [],
    [
      ["spec", `"${spec}"`],
      ["spec_version", `"${specVersion}"`],
    ],
  );
  if (version === 2 || member(readCard(named, "card").data, "group_only_greetings")) return named;
  return setMembersAt(named, ["data"], [["group_only_greetings", "[]"]]);
}

/** Writes a changed LORE.md as one constant entry. The imported entries stay, switched off. */
function withLore(text: string, book: unknown, lore: string): string {
  if (loreOf(book).text === lore) return text;
  const entry = constantEntry(lore);
  const dataAt = memberAt(text, wholeValue(text), "data") as JsonRange;
  const bookAt = memberAt(text, dataAt, "character_book");
  if (!isObject(book) || !bookAt) {
    const made = `{"extensions":{},"entries":[${entry}]}`;
    return setMembersAt(text, ["data"], [["character_book", made]]);
  }
  const entriesAt = memberAt(text, bookAt, "entries");
  const sign = entriesAt && text[entriesAt.start];
  if (!entriesAt || (sign !== "[" && sign !== "{")) {
    const entries = `[${lore ? entry : ""}]`;
    return setMembersAt(text, ["data", "character_book"], [["entries", entries]]);
  }
  const isKeyed = sign === "{";
  const [name, off] = isKeyed ? ["disable", "true"] : ["enabled", "false"];
  const edits: TextEdit[] = [];
  let last: JsonRange | undefined;
  for (const item of isKeyed ? membersAt(text, entriesAt) : itemsAt(text, entriesAt)) {
    last = item;
    if (text[item.start] !== "{") continue;
    const present = memberAt(text, item, name);
    const isOff = present && text.slice(present.start, present.end) === off;
    if (!isOff) edits.push(...setMember(text, item, name, off));
  }
  if (lore && isKeyed) edits.push(...withKeyedEntry(text, entriesAt, lore));
  else if (lore) {
    const at = last?.end ?? entriesAt.start + 1;
    edits.push({ start: at, end: at, text: last ? `,${entry}` : entry });
  }
  return applyEdits(text, edits);
}

/** Adds an entry under the first free uid. */
function withKeyedEntry(text: string, entries: JsonRange, lore: string): TextEdit[] {
  const taken = new Set(Array.from(membersAt(text, entries), ({ name }) => name));
  let uid = taken.size;
  while (taken.has(String(uid))) uid++;
  return setMember(text, entries, String(uid), keyedEntry(uid, lore));
}

/** Adds what the card has no field for, only then. */
function withOwnExtension(text: string, soul: SoulTexts): string {
  const card = readCard(text, "card");
  if (cardYields(card, soul)) return text;
  const overrides = overridesOf(soulOfCard(card, "card", false), soul);
  return setMembersAt(text, ["data", "extensions"], [[OWN_EXTENSION, JSON.stringify(overrides)]]);
}

function overridesOf(plain: CardSoul, soul: SoulTexts): Overrides {
  const overrides: Overrides = {};
  const main = (JSON.parse(plain.content) as Record<string, string>)[MAIN_FILE];
  const isOneFile = soul.content === main;
  for (const name of overriddenNames) {
    if (name === "file_type" ? !isOneFile : name === "content" && isOneFile) continue;
    const before = plainValue(plain, name);
    const value = name === "file_type" ? "single_md" : soul[name];
    if (before !== value) overrides[name] = { of: sha256(before), value };
  }
  return overrides;
}
