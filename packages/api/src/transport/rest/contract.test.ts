import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { restEndpoints } from "./rest-endpoints.ts";

type Json = { [key: string]: Json } & { type?: string | string[] };

/** A field as the specification describes it. */
interface Field {
  type: string;
  isOptional: boolean;
  /** The fields of an object, or of each object in an array. */
  fields: Fields;
}
type Fields = { [name: string]: Field };

const root = path.resolve(import.meta.dirname, "../../../../..");
const specification = readFileSync(path.join(root, "docs/specification.md"), "utf8");
const [, resources = "", endpoints = ""] =
  /^## 2\. (.*?)^## 3\..*^## 4\. (.*?)^## 5\./ms.exec(specification) ?? [];

/** The resources of specification §2, by the anchor of their heading. */
const resourceTexts = new Map(
  resources
    .split(/^### /m)
    .map((text) => [text.split("\n", 1)[0]?.toLowerCase().replaceAll(" ", "-"), text]),
);
/** The types in the tables of specification §2. A field has the same type in each resource. */
const typesByName = new Map(
  [...resources.matchAll(/^\| `(\w+)` \| (\w+)/gm)].map(([, name = "", type = ""]) => [name, type]),
);

/** A field's name, and the words up to the next name. */
const NAMED = /`(\w+)`((?:[^`]|`\{[^`]*`)*)/g;
const TYPE = /string|integer|boolean|number|array|object of strings|object/;

const plain: Field = { type: "unknown", isOptional: false, fields: {} };

/** Returns the fields of a list such as `{id, title}`, or of the table of a resource. */
function fieldsIn(text: string): Fields {
  const listed = /\{(\w[\w, ]*)\}/.exec(text)?.[1]?.split(", ");
  const names = listed ?? [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  return Object.fromEntries(
    names.map((name) => [name, { ...plain, type: typesByName.get(name) ?? plain.type }]),
  );
}

/**
 * Reads fields such as "`id`, `count`, integers; `data` array of [souls](#soul)". A field without a
 * type of its own has that of the next field.
 */
function readFields(line: string): Fields {
  const allOptional = line.includes("all optional");
  const text = line.replace(/(?<!\])\([^)]*\)/g, "");
  const found: [string, Field][] = [];
  for (const [, name = "", words = ""] of [...text.matchAll(NAMED)].reverse()) {
    const type = TYPE.exec(words)?.[0];
    const next = found[0]?.[1] ?? plain;
    const isOptional = type ? allOptional || words.includes("optional") : next.isOptional;
    const anchor = /\]\(#([\w-]+)\)/.exec(words)?.[1];
    const fields = fieldsIn(anchor ? (resourceTexts.get(anchor) ?? "") : words);
    found.unshift([name, { type: type ?? next.type, isOptional, fields }]);
  }
  return Object.fromEntries(found);
}

/** The endpoints that specification §4 lists. */
const specified = endpoints.split(/^(?=\*\*`)/m).flatMap((text) => {
  const [, method, url = "", credential = ""] =
    /^\*\*`(\w+) \/api(\S+)`\*\* \(([^;)]*)/.exec(text) ?? [];
  if (!method) return [];
  const fieldsOf = (label: string) =>
    readFields([...text.matchAll(RegExp(`^- (?:${label}).*`, "gm"))].join("\n"));
  const inPath = readFields(url.includes("{id}") ? "`id` integer" : "");
  const request = { ...inPath, ...fieldsOf("Body|Query") };
  return [{ name: `${method} ${url}`, credential, request, answer: fieldsOf("Response") }];
});

const built = new Map(
  restEndpoints().map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]),
);

/** The access levels that each credential of specification §4 allows. */
const accessLevels: Record<string, readonly string[]> = {
  None: ["open"],
  "None for public souls": ["open"],
  "key, session or none": ["open"],
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

/** Returns the type of a JSON schema in the words of the specification. */
function typeOf(schema: Json | undefined): string {
  const map = schema?.additionalProperties as Json | undefined;
  if (schema?.type === "object" && map?.type === "string") return "object of strings";
  if (schema?.type) return String(schema.type);
  if (!schema || !("const" in schema)) return "unknown";
  return Number.isInteger(schema.const) ? "integer" : typeof schema.const;
}

function expectField(given: Json | undefined, { type, fields }: Field, at: string): void {
  const schema = firstOf(given);
  expect(`${at}: ${typeOf(schema)}`).toBe(`${at}: ${type}`);
  if (type !== "array" && type !== "object") return;
  expect(Object.keys(fields), `${at} is described`).not.toEqual([]);
  const object = type === "array" ? firstOf(schema?.items as Json) : schema;
  expect(object?.required).toEqual(expect.arrayContaining(Object.keys(fields)));
  for (const [name, inner] of Object.entries(fields)) {
    expectField((object?.properties as Json | undefined)?.[name], inner, `${at}.${name}`);
  }
}

/** Fails if an endpoint or field of specification §4 is missing or renamed. */
describe("specification §4", () => {
  it("has every endpoint", () => {
    expect(specified).toHaveLength(endpoints.match(/^\*\*`/gm)?.length ?? 0);
    expect(specified.length).toBeGreaterThan(20);
    expect([...built.keys()]).toEqual(expect.arrayContaining(specified.map(({ name }) => name)));
  });

  it("has no other endpoint, unless a rule of decisions names its method and path", () => {
    const rules = globSync(path.join(root, "docs/decisions/rules/*.md"));
    const text = rules.map((file) => readFileSync(file, "utf8")).join("\n");
    const named = text.matchAll(/((?:GET|POST|PUT|DELETE) )\/api(\/[\w/{}-]+)/g);
    const known = new Set(Array.from(named, ([, method, path]) => `${method}${path}`));
    for (const { name } of specified) known.add(name);
    expect([...built.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  describe.each(specified)("$name", ({ name, credential, request, answer }) => {
    const endpoint = built.get(name);

    it(`requires the credential “${credential}”`, () => {
      expect(accessLevels[credential]).toContain(endpoint?.access);
    });

    it("accepts the documented fields and requires no other", () => {
      const schema = jsonSchemaOf(endpoint?.input, "input");
      const needed = Object.keys(request).filter((field) => !request[field]?.isOptional);
      expect([...((schema.required as unknown as string[]) ?? [])].sort()).toEqual(needed.sort());
      for (const [field, shape] of Object.entries(request)) {
        expectField(schema.properties?.[field], shape, field);
      }
    });

    it("returns the documented fields with their names and types", () => {
      const schema = jsonSchemaOf(endpoint?.output, "output");
      for (const [field, shape] of Object.entries(answer)) {
        expectField(schema.properties?.[field], shape, field);
        // GET /api/apps returns one app for a `slug`, else a list. Only the list has `count`, so
        // the schema does not require it.
        if (name !== "GET /apps") expect(schema.required).toContain(field);
      }
    });
  });
});
