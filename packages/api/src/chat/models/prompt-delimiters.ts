import { replaceMacros, unusedNumber } from "@soul-hub/soul-formats";

/** The fields of a soul that the prompt contains. */
export interface PromptSoul {
  title: string;
  content: string;
  /** `single_md` or `full_soul_folder` (specification §2). */
  file_type: string;
  /**
   * The nickname of the character card that the soul came from; null if it came from none. The
   * macros of cards alone are replaced (0052).
   */
  nickname?: string | null;
}

/**
 * Returns the number of a prompt's delimiter lines. It starts at the first text, the soul, so that
 * the provider can cache the beginning of its prompts.
 */
export const delimiterNumber = (texts: readonly [string, ...string[]]): number =>
  unusedNumber(texts, texts[0]);

/** Encloses an untrusted text in two delimiter lines that contain the prompt's delimiter number. */
export const delimit = (name: string, number: number, text: string): string =>
  `----- BEGIN ${name} ${number} -----\n${text}\n----- END ${name} ${number} -----`;

/**
 * The soul as the prompt contains it: its title, then SOUL.md and the other files with their names.
 * STARTERS.md is left out, because it is text for people: the first messages that a page suggests.
 */
export const soulBody = (soul: PromptSoul): string =>
  `Title: ${oneLine(soul.title)}\n\n${withMacros(soul, soulText(soul))}`;

const withMacros = ({ nickname, title }: PromptSoul, text: string): string =>
  typeof nickname === "string" ? replaceMacros(text, oneLine(nickname) || oneLine(title)) : text;

/** Parses the soul out of a prompt's instructions; null if they contain no soul. */
export function readDelimitedSoul(instructions: string): { title: string; text: string } | null {
  const found =
    /^----- BEGIN SOUL (\d+) -----\nTitle: (.*)\n\n([\s\S]*?)\n----- END SOUL \1 -----$/m.exec(
      instructions,
    );
  return found ? { title: found[2] ?? "", text: found[3] ?? "" } : null;
}

/** Replaces line breaks and control characters with spaces. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

function soulText(soul: PromptSoul): string {
  const files = soul.file_type === "full_soul_folder" ? readFolder(soul.content) : null;
  if (!files) return soul.content;
  const isNamed =
    (wanted: string) =>
    ([name]: [string, string]): boolean =>
      name.toLowerCase() === wanted;
  const isMain = isNamed("soul.md");
  const isStarters = isNamed("starters.md");
  const others = files.filter((file) => !isMain(file) && !isStarters(file));
  return [...files.filter(isMain), ...others]
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
