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

export const message = field(z.string(), "Done.", "A message for people. Its wording may change.");

/**
 * True if a text has more than `limit` characters. For most texts `length` suffices, because a
 * character has one or two UTF-16 code units.
 */
export const isLongerThan = (limit: number, text: string): boolean =>
  text.length > limit && (text.length > 2 * limit || [...text].length > limit);

export const atMost = (limit: number) =>
  z
    .string()
    .refine((text) => !isLongerThan(limit, text), `must have at most ${limit} characters`)
    .meta({ maxLength: limit });

/** The pattern of a text that is more than white space. */
export const NOT_BLANK = /\S/;

export const notBlank = (text: string): boolean => NOT_BLANK.test(text);
