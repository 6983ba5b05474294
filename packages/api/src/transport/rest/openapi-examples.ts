import assert from "node:assert/strict";
import { z } from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const NAMED = "#/components/schemas/";

/** The schemas that have a name, which is the `id` in their meta. {@link toJsonSchema} fills it. */
export const namedSchemas: Record<string, JsonSchema> = {};

/**
 * Converts a zod schema to JSON Schema, without the `$schema` member. A part with a name becomes a
 * reference to the components of the OpenAPI document.
 */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const json = JSON.stringify(converted).replaceAll('"#/$defs/', `"${NAMED}`);
  const { $defs = {}, ...root } = JSON.parse(json) as JsonSchema;
  for (const [name, named] of Object.entries($defs)) {
    // The same zod schema may differ as input and as output, and a name has one meaning.
    assert.deepEqual(namedSchemas[name] ?? named, named, `two schemas have the name ${name}`);
    namedSchemas[name] = named;
  }
  return root;
}

/**
 * Composes an example of a schema from the examples of its fields. Returns undefined if a field has
 * no example; openapi.test.ts then names that field.
 */
export function exampleOf(schema: JsonSchema): unknown {
  const { $ref, ...ownMembers } = schema;
  if ($ref) return exampleOf({ ...namedSchemas[$ref.slice(NAMED.length)], ...ownMembers });
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
