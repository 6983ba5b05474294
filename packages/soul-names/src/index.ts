export { handlesOf } from "./handles.ts";
export { findMentions, mentionedSouls } from "./mentions.ts";

const MAX_CHARS = 60;

/**
 * Returns a title as a part of addresses and file names: `a-z`, `0-9` and single dashes. A title in
 * another alphabet gives `soul`.
 */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_CHARS)
    .replace(/^-|-$/g, "");
  return words === "" ? "soul" : words;
}

/** Returns the name of a soul as a prompt of `/mcp` (0054), such as `keeper-of-the-light-7`. */
export const promptNameOf = ({ id, title }: { id: number; title: string }): string =>
  `${slugOf(title)}-${id}`;

/**
 * Returns the name of a soul as a model of OpenAI's protocol (0051), such as
 * `ada/keeper-of-the-light-7`.
 */
export const modelNameOf = (soul: { id: number; title: string; username: string }): string =>
  `${soul.username}/${promptNameOf(soul)}`;
