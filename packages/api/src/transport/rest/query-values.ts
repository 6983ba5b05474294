import { z } from "zod";

type Reader = (text: string) => unknown;

/** Numbers in URLs consist of digits, with an optional minus sign (0006). */
const readNumber: Reader = (text) => (/^-?\d+$/.test(text) ? Number(text) : text);
const readBoolean: Reader = (text) => (text === "true" ? true : text === "false" ? false : text);

/**
 * Returns a function that converts query and path parameters to the types of the schema. A
 * parameter that cannot be converted stays a string. The schema then refuses it with its own
 * message.
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
