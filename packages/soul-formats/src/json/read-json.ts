import { FormatError } from "../format-error.ts";
import { withoutBom } from "../text.ts";

export type JsonObject = { readonly [name: string]: unknown };

const MAX_DEPTH = 64;
/** Each value takes memory beyond its text: two million empty objects would fill 100 MB. */
const MAX_VALUES = 200_000;

/**
 * Parses untrusted JSON. `__proto__` becomes a member like any other, as JSON.parse does.
 * @param maxValues the most values and members of all levels together
 * @throws FormatError for deep nesting or too many values
 */
export function readJson(text: string, at: string, maxValues = MAX_VALUES): unknown {
  assertModest(text, at, maxValues);
  try {
    return JSON.parse(withoutBom(text));
  } catch (cause) {
    throw new FormatError(at, "is not valid JSON", cause);
  }
}

/**
 * Parses an untrusted JSON object, as {@link readJson} does.
 * @throws FormatError, also for another value
 */
export function readJsonObject(text: string, at: string, maxValues?: number): JsonObject {
  const value = readJson(text, at, maxValues);
  if (!isObject(value)) throw new FormatError(at, "is not a JSON object");
  return value;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isAbsent = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

/** Reads a member of its own, so that `constructor` finds nothing inherited. */
export const member = (object: unknown, name: string): unknown =>
  isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;

/** Reads a text; empty for every other value. */
export function textMember(object: unknown, name: string): string {
  const value = member(object, name);
  return typeof value === "string" ? value : "";
}

/** Reads a version, which some programs write as a number; empty for every other value. */
export function versionMember(object: unknown, name: string): string {
  const value = member(object, name);
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** Counts brackets and commas outside of strings before anything is parsed. */
function assertModest(text: string, at: string, maxValues: number): void {
  let depth = 0;
  let values = 0;
  for (let next = 0; next < text.length; next++) {
    const sign = text.charCodeAt(next);
    if (sign === 0x22) {
      for (next++; next < text.length && text.charCodeAt(next) !== 0x22; next++) {
        if (text.charCodeAt(next) === 0x5c) next++;
      }
    } else if (sign === 0x5b || sign === 0x7b) {
      values++;
      if (++depth > MAX_DEPTH)
        throw new FormatError(at, `is nested deeper than ${MAX_DEPTH} levels`);
    } else if (sign === 0x5d || sign === 0x7d) depth--;
    else if (sign === 0x2c) values++;
    if (values > maxValues) throw new FormatError(at, `has more than ${maxValues} values`);
  }
}
