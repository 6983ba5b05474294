import { isAbsent, isObject, member, textMember } from "../json/read-json.ts";
import { charsOf } from "../text.ts";

/** The longest LORE.md, in characters. The rest stays in the card. */
const MAX_LORE_CHARS = 24_000;
const SEPARATOR = "\n\n";
/** A line that tells an application when and where to use the entry (Character Card V3). */
const DECORATORS = /^(?:@@@?[^\n]*(?:\n|$))+/;

export interface Lore {
  text: string;
  /** What the text does not hold, as messages of warnings. */
  leftOut: string[];
}

/**
 * Writes the enabled entries of a card's lorebook as one text: constant entries first, then by their
 * order. Entries are whole. No keyword triggers anything.
 *
 * Some programs write the entries as an object keyed by uid, with `order` and `disable`.
 */
export function loreOf(book: unknown): Lore {
  const given = isObject(book) ? member(book, "entries") : book;
  const isRead = isAbsent(given) || (isObject(book) && (Array.isArray(given) || isObject(given)));
  const entries = isRead ? Object.values(given ?? []) : [];
  const strange = entries.filter((entry) => typeof member(entry, "content") !== "string").length;
  const texts = entries
    .filter((entry) => member(entry, "enabled") !== false && member(entry, "disable") !== true)
    .map((entry, at) => ({
      at,
      isConstant: member(entry, "constant") === true,
      order: orderOf(entry),
      text: textMember(entry, "content").replace(DECORATORS, ""),
    }))
    .filter(({ text }) => text.trim() !== "")
    .sort(
      (a, b) => Number(b.isConstant) - Number(a.isConstant) || a.order - b.order || a.at - b.at,
    );
  let left = MAX_LORE_CHARS;
  const kept: string[] = [];
  for (const { text } of texts) {
    left -= (kept.length === 0 ? 0 : SEPARATOR.length) + charsOf(text);
    if (left < 0) break;
    kept.push(text);
  }
  const leftOut = [
    isRead ? "" : "leaves out the lorebook, whose entries are neither a list nor an object",
    countOf(texts.length - kept.length, "of the lorebook"),
    countOf(strange, "of the lorebook without a text"),
  ].filter(Boolean);
  return { text: kept.join(SEPARATOR), leftOut };
}

function countOf(entries: number, which: string): string {
  if (entries === 0) return "";
  return entries === 1
    ? `leaves out an entry ${which}, which stays in the card`
    : `leaves out ${entries} entries ${which}, which stay in the card`;
}

function orderOf(entry: unknown): number {
  const order = member(entry, "insertion_order") ?? member(entry, "order");
  return typeof order === "number" ? order : 0;
}

/** Reports whether `loreOf` keeps a text that is the only entry of a book. */
export const isReadAsLore = (content: string): boolean =>
  loreOf({ entries: [{ content }] }).text !== "";

/** An entry of a lorebook that is an object, as JSON; its uid is its name there. */
export const keyedEntry = (uid: number, text: string): string => {
  const entry = { uid, key: [], keysecondary: [], content: text };
  return JSON.stringify({ ...entry, constant: true, order: 0, disable: false });
};

/** A lorebook entry that holds a whole text, as JSON. */
export const constantEntry = (text: string): string =>
  JSON.stringify({
    keys: [],
    content: text,
    extensions: {},
    enabled: true,
    insertion_order: 0,
    constant: true,
    use_regex: false,
  });
