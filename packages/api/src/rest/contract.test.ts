import { describe, expect, it } from "vitest";
import { z } from "zod";
import { restEndpoints } from "./rest-endpoints.ts";
import { additive, type Shape, specified } from "./specification.fixture.ts";

type Json = { [key: string]: Json } & { type?: string | string[] };

const built = new Map(
  restEndpoints().map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]),
);

/** What the auth column says, as the ladder has it. */
const rungs: Record<string, readonly string[]> = {
  None: ["open"],
  "Section 5": ["open"],
  "Session/Key": ["member"],
  Bearer: ["keyHolder", "passHolder"],
};

/** What may be null, or another shape, is looked at as the first thing it may be. */
function firstOf(schema: Json | undefined): Json | undefined {
  const choices = (schema?.anyOf ?? schema?.oneOf) as Json[] | undefined;
  return choices ? firstOf(choices.find(({ type }) => type !== "null")) : schema;
}

/** The type of a JSON schema in the fixture's words. */
function typeOf(schema: Json | undefined): string {
  const map = schema?.additionalProperties as Json | undefined;
  if (schema?.type === "object" && map?.type === "string") return "texts";
  if (schema?.type) return String(schema.type);
  if (!schema || !("const" in schema)) return "unknown";
  return Number.isInteger(schema.const) ? "integer" : typeof schema.const;
}

function expectShape(given: Json | undefined, shape: Shape, path: string): void {
  const schema = firstOf(given);
  if (typeof shape === "string") {
    expect(`${path}: ${typeOf(schema)}`).toBe(`${path}: ${shape}`);
  } else if (Array.isArray(shape)) {
    expect(`${path}: ${typeOf(schema)}`).toBe(`${path}: array`);
    expectShape(schema?.items as Json, shape[0] as Shape, `${path}[]`);
  } else {
    expect(`${path}: ${typeOf(schema)}`).toBe(`${path}: object`);
    expect(schema?.required).toEqual(expect.arrayContaining(Object.keys(shape)));
    for (const [field, inner] of Object.entries(shape as Record<string, Shape>)) {
      expectShape((schema?.properties as Json | undefined)?.[field], inner, `${path}.${field}`);
    }
  }
}

/** The specification, held line by line: fails when an endpoint or field is added, missing or renamed. */
describe("the contract of section 4", () => {
  it("is met by exactly these endpoints", () => {
    const expected = [...Object.keys(specified), ...additive];
    expect([...built.keys()].sort()).toEqual(expected.sort());
  });

  describe.each(Object.entries(specified))("%s", (name, { auth, request, answer }) => {
    const endpoint = built.get(name);

    it(`asks for the credential “${auth}”`, () => {
      expect(rungs[auth]).toContain(endpoint?.rung);
    });

    it("takes the documented fields, and needs no other", () => {
      const schema = z.toJSONSchema(endpoint?.input as z.ZodType, {
        io: "input",
      }) as unknown as Json;
      const needed = Object.keys(request).filter((field) => request[field]?.endsWith("!"));
      expect([...((schema.required as unknown as string[]) ?? [])].sort()).toEqual(needed.sort());
      for (const [field, type] of Object.entries(request)) {
        expectShape(schema.properties?.[field], type.replace("!", ""), field);
      }
    });

    it("answers the documented fields under their names and types", () => {
      const schema = z.toJSONSchema(endpoint?.output as z.ZodType, {
        io: "output",
      }) as unknown as Json;
      for (const [field, shape] of Object.entries(answer)) {
        expectShape(schema.properties?.[field], shape, field);
        // GET /api/apps has two shapes under one name: its count comes with the list alone.
        if (name !== "GET /apps") expect(schema.required).toContain(field);
      }
    });
  });
});
