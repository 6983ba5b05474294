const MAX_CHARS = 40;

/**
 * Returns the handles of a room's souls, by which a mention addresses them: the titles in lower
 * case, with "-" for each space, without other characters. A repeated handle ends with its number.
 */
export function handlesOf(titles: readonly string[]): string[] {
  const taken = new Set<string>();
  return titles.map((title) => {
    const plain = plainHandle(title);
    let handle = plain;
    for (let nth = 2; taken.has(handle); nth++) {
      handle = `${plain.slice(0, MAX_CHARS - String(nth).length - 1)}-${nth}`;
    }
    taken.add(handle);
    return handle;
  });
}

function plainHandle(title: string): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\s/g, "-")
    .replace(/[^a-z0-9-]/g, "")
    .replace(/-+/g, "-");
  const handle = withoutEndDashes(withoutEndDashes(words).slice(0, MAX_CHARS));
  // A title in another alphabet leaves no letter.
  return handle === "" ? "soul" : handle;
}

const withoutEndDashes = (text: string) => text.replace(/^-|-$/g, "");
