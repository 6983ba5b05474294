import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { restEndpoints } from "./rest-endpoints.ts";
import { type Shape, specified } from "./specification.fixture.ts";

type Json = { [key: string]: Json } & { type?: string | string[] };

const built = new Map(
  restEndpoints().map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]),
);

/** The access levels that each entry of the specification's Auth column allows. */
const accessLevels: Record<string, readonly string[]> = {
  None: ["open"],
  "Section 5": ["open"],
  "Session/Key": ["member"],
  Bearer: ["keyHolder", "passHolder"],
};

/** Converts a schema without its names, so that it contains no references. */
const jsonSchemaOf = (schema: z.ZodObject | undefined, io: "input" | "output") =>
  z.toJSONSchema(schema ?? z.never(), { io, metadata: z.registry() }) as unknown as Json;

/** Returns the first alternative, other than null, of a nullable or union schema. */
function firstOf(schema: Json | undefined): Json | undefined {
  const choices = (schema?.anyOf ?? schema?.oneOf) as Json[] | undefined;
  return choices ? firstOf(choices.find(({ type }) => type !== "null")) : schema;
}

/** Returns the type of a JSON schema in the words of specification.fixture.ts. */
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

/** Fails if an endpoint or field of specification §4 is missing or renamed. */
describe("specification §4", () => {
  it("has every endpoint", () => {
    expect([...built.keys()]).toEqual(expect.arrayContaining(Object.keys(specified)));
  });

  it("has no other endpoint, unless a rule of decisions names its method and path", () => {
    const rules = globSync(`${import.meta.dirname}/../../../../../docs/decisions/rules/*.md`);
    const text = rules.map((file) => readFileSync(file, "utf8")).join("\n");
    const named = text.matchAll(/((?:GET|POST|PUT|DELETE) )\/api(\/[\w/{}-]+)/g);
    const known = new Set(Array.from(named, ([, method, path]) => `${method}${path}`));
    expect([...built.keys()].filter((name) => !(name in specified || known.has(name)))).toEqual([]);
  });

  describe.each(Object.entries(specified))("%s", (name, [auth, request, answer]) => {
    const endpoint = built.get(name);

    it(`requires the credential “${auth}”`, () => {
      expect(accessLevels[auth]).toContain(endpoint?.access);
    });

    it("accepts the documented fields and requires no other", () => {
      const schema = jsonSchemaOf(endpoint?.input, "input");
      const needed = Object.keys(request).filter((field) => request[field]?.endsWith("!"));
      expect([...((schema.required as unknown as string[]) ?? [])].sort()).toEqual(needed.sort());
      for (const [field, type] of Object.entries(request)) {
        expectShape(schema.properties?.[field], type.replace("!", ""), field);
      }
    });

    it("returns the documented fields with their names and types", () => {
      const schema = jsonSchemaOf(endpoint?.output, "output");
      for (const [field, shape] of Object.entries(answer)) {
        expectShape(schema.properties?.[field], shape, field);
        // GET /api/apps returns one app for a `slug`, else a list. Only the list has `count`, so
        // the schema does not require it.
        if (name !== "GET /apps") expect(schema.required).toContain(field);
      }
    });
  });
});
