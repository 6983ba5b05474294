import { z } from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Converts a zod schema to JSON Schema, without the `$schema` member. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return converted;
}

/**
 * Composes an example of a schema from the examples of its fields. Returns undefined if a field has
 * no example; openapi.test.ts then names that field.
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
