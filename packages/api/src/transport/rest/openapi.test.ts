import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { dereferencedDocument } from "./dereferenced.fixture.ts";
import { failuresOf, statusIn } from "./openapi-failures.ts";
import { type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

type Json = { [key: string]: Json };
interface Parameter {
  name: string;
  in: string;
  schema: Json;
  examples?: Record<string, { value: unknown }>;
}
interface Media {
  schema: Json;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Response {
  headers: Record<string, { schema: Json }>;
  content?: Record<string, Media>;
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}

const { paths } = dereferencedDocument();

// Patterns are compiled without the `u` flag, as the linter Spectral does.
const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: false });
/** Returns the validation error of a value by a schema of the OpenAPI document, or null. */
const faultOf = (schema: object, value: unknown): string | null => {
  const check = ajv.compile(schema);
  return check(value) ? null : ajv.errorsText(check.errors);
};

const operationOf = ({ method, path }: RestEndpoint) =>
  paths[`/api${path}`]?.[method.toLowerCase()] as Operation;
const mediaOf = (response: Response) => response.content?.["application/json"] as Media;
const examplesOf = ({ example, examples = {} }: Media): unknown[] =>
  example === undefined ? Object.values(examples).map(({ value }) => value) : [example];

/**
 * Lists the parts of a schema, with their paths, in which an example is expected. An object or list
 * without an example of its own is replaced by its parts.
 */
function leavesOf(schema: Json, path: string): [string, Json][] {
  const own = Array.isArray(schema.examples) || "const" in schema;
  const parts = [
    ...Object.entries((schema.properties ?? {}) as Json).map(([name, one]) => [name, one] as const),
    ...["anyOf", "oneOf", "allOf"].flatMap((key) =>
      ((schema[key] ?? []) as unknown as Json[]).map((one, at) => [`${key}[${at}]`, one] as const),
    ),
    ...(schema.items ? [["[]", schema.items] as const] : []),
  ];
  if (own || parts.length === 0) return schema.type?.toString() === "null" ? [] : [[path, schema]];
  return parts.flatMap(([name, one]) => leavesOf(one, `${path}.${name}`));
}

const bodyExample = (endpoint: RestEndpoint) =>
  operationOf(endpoint).requestBody?.content["application/json"]?.example as object | undefined;

describe.each(restEndpoints().map((one) => [`${one.method} /api${one.path}`, one] as const))(
  "%s in the OpenAPI document",
  (_, endpoint) => {
    const { parameters = [], requestBody, responses } = operationOf(endpoint);

    it("has a valid example for every field, parameter and header", () => {
      const success = responses[200] as Response;
      const leaves = [
        ...parameters.flatMap(({ name, schema, examples }) => {
          const shown = Object.values(examples ?? {}).map(({ value }) => value);
          return leavesOf({ ...schema, ...(examples ? { examples: shown as never } : {}) }, name);
        }),
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          endpoint.takesFile ? [] : leavesOf(schema, "body"),
        ),
        ...(endpoint.sendsFile ? [] : leavesOf(mediaOf(success).schema, "answer")),
        ...Object.values(responses).flatMap(({ headers }) =>
          Object.entries(headers).flatMap(([name, { schema }]) => leavesOf(schema, name)),
        ),
      ];
      const without = leaves.filter(
        ([, { examples, const: only }]) => !examples && only === undefined,
      );
      expect(without.map(([path]) => path)).toEqual([]);
      const wrong = leaves.flatMap(([path, schema]) =>
        ((schema.examples ?? []) as unknown as unknown[]).map((value) => [
          path,
          value,
          faultOf(schema, value),
        ]),
      );
      expect(wrong.filter(([, , fault]) => fault !== null)).toEqual([]);
    });

    it("has an example request that the hub accepts", () => {
      const texts = parameters.filter(({ in: place }) => place !== "header");
      const given = texts.map(({ name, schema }) => [
        name,
        (schema.examples as unknown as unknown[])[0],
      ]);
      const body = endpoint.spoolsFile ? "path of a file" : new Uint8Array();
      const file = endpoint.takesFile ? { file: body } : {};
      const input = { ...Object.fromEntries(given), ...bodyExample(endpoint), ...file };
      expect(endpoint.input.safeParse(input).error?.issues).toBeUndefined();
      if (endpoint.takesFile) {
        expect(Object.keys(requestBody?.content ?? {})).toEqual(endpoint.takesFile);
      } else if (requestBody) {
        const { schema, example } = requestBody.content["application/json"] as Media;
        expect(faultOf(schema, example)).toBeNull();
        const shown = Object.keys(endpoint.body ?? (schema.properties as object));
        expect(Object.keys(example as object)).toEqual(shown);
      }
    });

    it("has an example answer that matches the output schema", () => {
      if (endpoint.sendsFile) {
        const types = Object.keys((responses[200] as Response).content ?? {});
        expect(types).toEqual(endpoint.sendsFile);
        return;
      }
      const media = mediaOf(responses[200] as Response);
      const examples = examplesOf(media);
      expect(examples).not.toEqual([]);
      for (const example of examples) {
        expect(faultOf(media.schema, example)).toBeNull();
        expect(endpoint.output.safeParse(example).error?.issues).toBeUndefined();
        expect(example).toMatchObject({ success: true });
      }
    });

    it("lists each failure with its status and body", () => {
      for (const code of failuresOf(endpoint)) {
        const response = responses[statusIn(endpoint, code)] as Response;
        const { schema, examples = {} } = mediaOf(response);
        const shown = examples[code]?.value;
        expect(shown).toMatchObject({ success: false, error: code });
        expect(faultOf(schema, shown)).toBeNull();
      }
      const documented = Object.keys(responses).filter((status) => Number(status) >= 400);
      const expected = new Set(
        [...failuresOf(endpoint)].map((code) => String(statusIn(endpoint, code))),
      );
      expect(documented.sort()).toEqual([...expected].sort());
    });

    it("lists the headers of each status", () => {
      for (const [status, { headers }] of Object.entries(responses)) {
        const names = Object.keys(headers);
        expect(names).toContain("X-Request-Id");
        if (status === "401") expect(names).toContain("WWW-Authenticate");
        if (status === "429" || status === "503") expect(names).toContain("Retry-After");
        if (status === "304" || (status === "200" && endpoint.shared))
          expect(names).toContain("ETag");
      }
    });
  },
);
