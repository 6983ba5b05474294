import { z } from "zod";

/** Field shapes that every slice shares (decisions §2). A character is a Unicode code point. */

/** Ids of the hub: positive integers up to 2^53-1. */
export const id = z
  .int()
  .min(1)
  .meta({ examples: [1] });

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const utcTime = z.string().meta({ examples: ["2026-01-31 12:00:00"] });

export const message = z.string().meta({ description: "For people.", examples: ["Done."] });

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Of n UTF-16 units at least n/2 are characters: most texts are judged without being counted. */
export function isLongerThan(limit: number, text: string): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || countCharacters(text) > limit;
}

export const atMost = (limit: number) =>
  z
    .string()
    .refine((text) => !isLongerThan(limit, text), `may have at most ${limit} characters`)
    .meta({ maxLength: limit });

export const notBlank = (text: string): boolean => /\S/.test(text);
