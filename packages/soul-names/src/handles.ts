const MAX_CHARS = 40;

/**
 * Returns a text as mentions compare it: NFKC, in lower case. Joiners and variation selectors change
 * how letters look, and are left out.
 */
export const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\u200c|\u200d|[\ufe00-\ufe0f]/g, "");

/**
 * Returns the handles of a room's souls, by which a mention addresses them: the letters and digits
 * of the titles, with "-" for each space. A repeated handle ends with its number.
 */
export function handlesOf(titles: readonly string[]): string[] {
  const taken = new Set<string>();
  return titles.map((title) => {
    const words = folded(title)
      .replace(/\s/g, "-")
      .replace(/\p{DI}/gu, "");
    // A mark belongs to the letter before it, and goes with a symbol that is left out.
    const plain = tidied(words.replace(/[^\p{L}\p{M}\p{N}-]+\p{M}*|^\p{M}+/gu, "")) || "soul";
    let handle = plain;
    for (let nth = 2; taken.has(handle); nth++) {
      handle = `${cut(plain, MAX_CHARS - String(nth).length - 1)}-${nth}`;
    }
    taken.add(handle);
    return handle;
  });
}

/** Letters of Latin that no normal form takes apart. */
const LATIN = new Map(
  Object.entries({ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" }),
);

/** Returns a handle as a keyboard of ASCII types it; "" if no letter is left. */
export function asciiOf(handle: string): string {
  const latin = handle
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[ß-œ]/g, (letter) => LATIN.get(letter) ?? "");
  const ascii = tidied(latin.replace(/[^a-z0-9-]/g, ""));
  return /[a-z]/.test(ascii) ? ascii : "";
}

const cut = (text: string, chars: number) => Array.from(text).slice(0, chars).join("");
const withoutEndDashes = (text: string) => text.replace(/^-|-$/g, "");
const tidied = (words: string) =>
  withoutEndDashes(cut(withoutEndDashes(words.replace(/-+/g, "-")), MAX_CHARS));
