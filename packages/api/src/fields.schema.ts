import { folderProblem, oneLine } from "@soul-hub/soul-formats";
import { z } from "zod";

/**
 * Adds an example to a field's schema, and a description if the field's name does not suffice.
 * OpenAPI shows both. Without a new description the schema keeps the one it has.
 */
export const field = <Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
  description?: string,
): Schema =>
  schema.meta({ ...(description !== undefined && { description }), examples: [example] });

// Schemas of fields that several slices share (decisions §2). A character is a Unicode code point.

/** An id: an integer from 1 to 2^53-1. */
export const id = field(z.int().min(1), 1);

/** A time in UTC, written as `YYYY-MM-DD HH:MM:SS`. */
export const utcTime = field(z.string(), "2026-01-31 12:00:00");

/**
 * A time in a request: `YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601 (decisions §2). The parsed value is
 * ISO 8601 in UTC.
 */
export const givenTime = (note: string) =>
  field(
    z.string().max(40),
    "2027-01-31 12:00:00",
    `\`YYYY-MM-DD HH:MM:SS\` in UTC, or ISO 8601. ${note}`,
  ).transform((text, refinement) => {
    // JavaScript's `Date` would read a time without a zone as local time.
    const isUtc = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
    const utc = isUtc ? `${text.replace(" ", "T")}Z` : text;
    const time = new Date(utc);
    const year = time.getUTCFullYear();
    // Date and year are checked separately. `Date` reads 30 February as 2 March, and PostgreSQL has
    // no year 0.
    const isDate = z.iso.date().safeParse(/^[^T]*/.exec(utc)?.[0]).success;
    if (isDate && year >= 1 && year <= 9_999) return time.toISOString();
    refinement.addIssue("must be a time, YYYY-MM-DD HH:MM:SS in UTC or ISO 8601");
    return z.NEVER;
  });

/** A query parameter that is 1 or 0. */
export const flag = (example: "0" | "1", description: string) =>
  field(z.enum(["0", "1", "false", "true"]).default("0"), example, description).transform(
    (text) => text === "1" || text === "true",
  );

export const message = field(z.string(), "Done.", "A message for people. Its wording may change.");

/**
 * True if a text has more than `limit` characters. For most texts `length` suffices, because a
 * character has one or two UTF-16 code units.
 */
export const isLongerThan = (limit: number, text: string): boolean =>
  text.length > limit && (text.length > 2 * limit || [...text].length > limit);

const limited = (text: z.ZodString, limit: number) =>
  text
    .refine((given) => !isLongerThan(limit, given), `must have at most ${limit} characters`)
    .meta({ maxLength: limit });

export const atMost = (limit: number) => limited(z.string(), limit);

/**
 * A text that is shown on one line, such as a title or a note. Whatever is given becomes one line
 * (decisions §2, Times, ids and text).
 */
export const singleLine = (limit: number) => limited(z.string().overwrite(oneLine), limit);

/** The content of a soul: one text, or a folder that names each file once. */
export const textOrFolder = (limit: number) =>
  atMost(limit).superRefine((content, { addIssue }) => {
    const problem = folderProblem(content);
    if (problem) addIssue(problem);
  });

/** The pattern of a text that is more than white space. */
export const NOT_BLANK = /\S/;

export const notBlank = (text: string): boolean => NOT_BLANK.test(text);
