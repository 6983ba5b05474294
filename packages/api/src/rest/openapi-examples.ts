import type { z } from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * An example of a whole shape, made of those that its fields carry. Undefined where there is none:
 * a field without one is left out, and openapi.test.ts names it.
 */
export function exampleOf(schema: JsonSchema): unknown {
  const [own] = Array.isArray(schema.examples) ? schema.examples : [];
  if (own !== undefined) return own;
  if (schema.const !== undefined) return schema.const;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return exampleOf(choices[0] as JsonSchema);
  if (schema.type === "array") return [exampleOf(schema.items as JsonSchema)];
  if (schema.properties) {
    const fields = Object.entries(schema.properties);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, exampleOf(field as JsonSchema)]),
    );
  }
  return undefined;
}
