import { isOwn, type Reader } from "../actions/reader.ts";
import type { ShownMessage } from "../use-older-messages.ts";

/** The patterns in use. Those of people who have left are dropped together. */
const patterns = new Map<string, RegExp>();
const MOST_PATTERNS = 20;

/**
 * Matches `@` and one of the usernames as a whole word, as the hub counts mentions (0042). A
 * username consists of letters, digits, "_" and "-".
 * @param names joined by "|"
 */
export function mentionOf(names: string): RegExp {
  let pattern = patterns.get(names);
  if (!pattern) {
    if (patterns.size === MOST_PATTERNS) patterns.clear();
    pattern = new RegExp(`(?<![\\p{L}\\p{N}])(@(?:${names}))(?![_-]*[\\p{L}\\p{N}])`, "iu");
    patterns.set(names, pattern);
  }
  return pattern;
}

/** True for a message of another that contains `@` and the reader's username. Guests have none. */
export const mentionsReader = (line: ShownMessage, reader: Reader): boolean =>
  reader.isMember &&
  reader.name !== undefined &&
  line.content.includes("@") &&
  !isOwn(line, reader) &&
  mentionOf(reader.name).test(line.content);
