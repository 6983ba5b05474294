import { parse, stringify } from "yaml";
import { isObject, type JsonObject } from "../json/read-json.ts";

/** A block between two lines of `---`, and one blank line after it. */
const FRONT_MATTER =
  /^---[ \t]*\r?\n((?:(?!---[ \t]*\r?$).*\r?\n)*?)---[ \t]*(?:\r?\n|$)(?:\r?\n)?/m;
/** The parser takes long for hostile YAML, so a longer block is no front matter. */
const MAX_CHARS = 16 * 1024;

const options = {
  maxAliasCount: 10,
  // Both would take quadratic time.
  uniqueKeys: false,
  prettyErrors: false,
  // The log holds no texts of files.
  logLevel: "error",
} as const;

/**
 * Splits YAML front matter from a Markdown.
 * @returns null without front matter that is a mapping
 */
export function splitFrontMatter(markdown: string): { fields: JsonObject; body: string } | null {
  if (!markdown.startsWith("---")) return null;
  const block = FRONT_MATTER.exec(markdown.slice(0, MAX_CHARS));
  // A block further down is part of the body.
  if (block?.index !== 0) return null;
  const [whole, yaml = ""] = block;
  let fields: unknown;
  try {
    fields = parse(yaml, options);
  } catch {
    return null;
  }
  return isObject(fields) ? { fields, body: markdown.slice(whole.length) } : null;
}

export const withFrontMatter = (fields: object, body: string): string =>
  `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${body}`;
