import { parse, stringify } from "yaml";
import { isObject, type JsonObject } from "../json/read-json.ts";

/** A block between two lines of `---` at the beginning, and one blank line after it. */
const FRONT_MATTER =
  /^---[ \t]*\r?\n((?:(?!---[ \t]*\r?$).*\r?\n)*?)---[ \t]*(?:\r?\n|$)(?:\r?\n)?/m;
const MAX_CHARS = 64 * 1024;

/**
 * Splits YAML front matter from a Markdown.
 * @returns null without front matter that is a mapping
 */
export function splitFrontMatter(markdown: string): { fields: JsonObject; body: string } | null {
  if (!markdown.startsWith("---")) return null;
  const [whole, yaml] = FRONT_MATTER.exec(markdown.slice(0, MAX_CHARS)) ?? [];
  if (whole === undefined || yaml === undefined) return null;
  let fields: unknown;
  try {
    fields = parse(yaml, { maxAliasCount: 10 });
  } catch {
    return null;
  }
  return isObject(fields) ? { fields, body: markdown.slice(whole.length) } : null;
}

export const withFrontMatter = (fields: object, body: string): string =>
  `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${body}`;
