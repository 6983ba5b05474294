import {
  isMap,
  isScalar,
  type Pair,
  type ParseOptions,
  parseDocument,
  type SchemaOptions,
  stringify,
} from "yaml";
import { isAbsent, isObject, type JsonObject, member } from "../json/read-json.ts";
import type { ImportWarning } from "../soul-state.ts";
import { oneLine } from "../text.ts";

/** A block between two lines of `---`, and one blank line after it. A BOM and blank lines precede. */
const FRONT_MATTER =
  /\ufeff?(?:[ \t]*\r?\n)*---[ \t]*\r?\n((?:(?!---[ \t]*\r?$).*\r?\n)*?)---[ \t]*(?:\r?\n|$)(?:\r?\n)?/my;
/** Text that somebody may have meant as front matter. */
const LIKE_FRONT_MATTER = /^\s*---[ \t]*\r?\n[\w-]+[ \t]*:/;
/** The parser takes long for hostile YAML, so a longer block is no front matter. */
const MAX_CHARS = 16 * 1024;

const options: ParseOptions & SchemaOptions & { logLevel: "error" } = {
  prettyErrors: false,
  // The log holds no texts of files.
  logLevel: "error",
  // Each value is the text that stands there, so that `1.0` stays `1.0`.
  schema: "failsafe",
  customTags: ["null"],
};

/** The fields that an import reads, all of them texts. */
const textFields = ["name", "title", "description"];
/** A field at the margin. Some files have no blank after the colon, which YAML asks for. */
const FIELD = /^([\w.-]+)[ \t]*:(?!\/)(.*)$/s;
/** A line that belongs to the field above it, or to none. */
const CONTINUED = /^(?:[ \t#-]|$)/;
/** A mark of YAML that takes the first word of a text: an anchor that nothing uses. */
const ANCHOR = /^[\w-]+[ \t]*:[ \t]+&\S/m;

/**
 * Splits YAML front matter from a Markdown. Where the block is not quite YAML, its lines are read as
 * texts, with a warning.
 * @returns null without front matter that is a mapping
 */
export function splitFrontMatter(
  markdown: string,
  warnings: ImportWarning[] = [],
): { fields: JsonObject; body: string } | null {
  const warn = (message: string) => void warnings.push({ path: "", message });
  const beginning = markdown.slice(0, MAX_CHARS);
  FRONT_MATTER.lastIndex = 0;
  const [whole = "", yaml] = FRONT_MATTER.exec(beginning) ?? [];
  const strict = yaml === undefined ? null : parsed(yaml);
  const fields = strict ?? (yaml === undefined ? null : readLines(yaml));
  // After blank lines, two lines of `---` may also be rules around a text with a colon.
  const isAtStart = /^\ufeff?---/.test(whole);
  if (fields && (isAtStart || textFields.some((name) => Object.hasOwn(fields, name)))) {
    if (!strict) warn("has front matter that is not quite YAML; its lines are read as texts");
    return { fields, body: markdown.slice(whole.length) };
  }
  if (LIKE_FRONT_MATTER.test(beginning)) {
    warn("begins like front matter that cannot be read, and stays part of the text");
  }
  return null;
}

/** Parses YAML that is a mapping; null if the parser has a doubt or a text would lose something. */
function parsed(yaml: string): JsonObject | null {
  if (ANCHOR.test(yaml) && !yaml.includes("*")) return null;
  try {
    const document = parseDocument(yaml, options);
    if (document.errors.length > 0 || document.warnings.length > 0) return null;
    if (isMap(document.contents) && document.contents.items.some(isCutByComment)) return null;
    const fields: unknown = document.toJS({ maxAliasCount: 10 });
    return isObject(fields) && textFields.every((name) => isText(member(fields, name)))
      ? fields
      : null;
  } catch {
    return null;
  }
}

/** Reports whether a comment takes words of a text without quotes, as in `channel #general`. */
const isCutByComment = ({ value }: Pair) =>
  isScalar(value) && value.type === "PLAIN" && /^\S/.test(value.comment ?? "");

const isText = (value: unknown) => isAbsent(value) || typeof value === "string";

/**
 * Reads lines `name: rest of the line`; null if other lines are among them. A field that is there
 * twice has both texts.
 */
function readLines(yaml: string): JsonObject | null {
  const fields = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of yaml.split(/\r?\n/)) {
    const [, name, rest] = FIELD.exec(line) ?? [];
    if (name === undefined && !CONTINUED.test(line)) return null;
    if (name !== undefined) {
      lines = fields.get(name) ?? [];
      fields.set(name, lines);
    }
    lines.push(name !== undefined && lines.length > 0 ? ` ${rest}` : line);
  }
  return fields.size === 0
    ? null
    : Object.fromEntries(Array.from(fields, ([name, of]) => [name, readField(name, of)]));
}

/** The value of a field that is YAML by itself; otherwise its lines as a text. */
const readField = (name: string, lines: readonly string[]): unknown =>
  member(parsed(lines.join("\n")), name) ?? oneLine(lines.join(" ").replace(FIELD, "$2"));

export const withFrontMatter = (fields: object, body: string): string =>
  `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${body}`;
