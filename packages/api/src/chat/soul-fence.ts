export interface FencedSoul {
  title: string;
  content: string;
  /** `single_md` or `full_soul_folder` */
  file_type: string;
}

/**
 * Puts text that others wrote between two lines which it cannot write itself: they carry the
 * smallest number that stands behind no BEGIN or END of that name in the text.
 */
export function fence(name: string, text: string): string {
  const taken = new Set<number>();
  for (const [, number] of text.matchAll(new RegExp(`(?:BEGIN|END)\\s+${name}\\s+(\\d+)`, "gi"))) {
    taken.add(Number(number));
  }
  let number = 1;
  while (taken.has(number)) number++;
  return `----- BEGIN ${name} ${number} -----\n${text}\n----- END ${name} ${number} -----`;
}

/** The soul as it stands in the fence: title, then SOUL.md and the other files under their names. */
export function soulBody(soul: FencedSoul): string {
  return `Title: ${oneLine(soul.title)}\n\n${soulText(soul)}`;
}

/** The soul found again in instructions; null where there is none. */
export function readFencedSoul(instructions: string): { title: string; text: string } | null {
  const found =
    /^----- BEGIN SOUL (\d+) -----\nTitle: (.*)\n\n([\s\S]*?)\n----- END SOUL \1 -----$/m.exec(
      instructions,
    );
  return found ? { title: found[2] ?? "", text: found[3] ?? "" } : null;
}

export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

function soulText(soul: FencedSoul): string {
  const files = soul.file_type === "full_soul_folder" ? readFolder(soul.content) : null;
  if (!files) return soul.content;
  const isMain = ([name]: [string, string]): boolean => name.toLowerCase() === "soul.md";
  return [...files.filter(isMain), ...files.filter((file) => !isMain(file))]
    .map(([name, text]) => `--- ${name} ---\n${text}`)
    .join("\n\n");
}

function readFolder(content: string): [string, string][] | null {
  let folder: unknown;
  try {
    folder = JSON.parse(content);
  } catch {
    return null;
  }
  if (typeof folder !== "object" || folder === null) return null;
  const files = Object.entries(folder);
  return files.every((file): file is [string, string] => typeof file[1] === "string")
    ? files
    : null;
}
