import { isObject, member, textMember } from "../json/read-json.ts";
import { charsOf } from "../text.ts";

/** The longest LORE.md, in characters. The rest stays in the card. */
const MAX_LORE_CHARS = 24_000;
const SEPARATOR = "\n\n";
/** A line that tells an application when and where to use the entry (Character Card V3). */
const DECORATORS = /^(?:@@@?[^\n]*(?:\n|$))+/;

export interface Lore {
  text: string;
  /** The number of enabled entries that the text does not hold. */
  left: number;
}

/**
 * Writes the enabled entries of a card's lorebook as one text: constant entries first, then by
 * `insertion_order`. Entries are whole. No keyword triggers anything.
 */
export function loreOf(book: unknown): Lore {
  const entries = member(book, "entries");
  if (!Array.isArray(entries)) return { text: "", left: 0 };
  const texts = entries
    .filter((entry) => isObject(entry) && member(entry, "enabled") !== false)
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
  return { text: kept.join(SEPARATOR), left: texts.length - kept.length };
}

function orderOf(entry: unknown): number {
  const order = member(entry, "insertion_order");
  return typeof order === "number" ? order : 0;
}

/** Reports whether `loreOf` keeps a text that is the only entry of a book. */
export const isReadAsLore = (content: string): boolean =>
  loreOf({ entries: [{ content }] }).text !== "";

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
