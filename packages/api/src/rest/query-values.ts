import { z } from "zod";

type Reader = (text: string) => unknown;

/** Ids and counts: no number of the hub has a fraction. */
const readNumber: Reader = (text) => (/^-?\d+$/.test(text) ? Number(text) : text);
const readBoolean: Reader = (text) => (text === "true" ? true : text === "false" ? false : text);

/**
 * Turns the text of a query string or path into the values its schema wants. What can't be turned
 * stays text, so that the schema itself refuses it with its own message. Worked out once per
 * endpoint; the schemas are only looked at, never changed.
 */
export function queryReader(schema: z.ZodObject): (texts: object) => Record<string, unknown> {
  const readers = new Map<string, Reader>();
  for (const [field, type] of Object.entries(schema.shape)) {
    const inner = innermost(type);
    if (inner instanceof z.ZodNumber) readers.set(field, readNumber);
    if (inner instanceof z.ZodBoolean) readers.set(field, readBoolean);
  }
  return (texts) => {
    const values: Record<string, unknown> = {};
    for (const [field, text] of Object.entries(texts)) {
      const read = readers.get(field);
      values[field] = read && typeof text === "string" ? read(text) : text;
    }
    return values;
  };
}

function innermost(type: unknown): unknown {
  if (
    type instanceof z.ZodOptional ||
    type instanceof z.ZodDefault ||
    type instanceof z.ZodNullable
  ) {
    return innermost(type.unwrap());
  }
  return type;
}
