import fc from "fast-check";
import { bodyRecipes, crossFieldRules, importedText } from "./body-recipes.fixture.ts";
import type { Operation } from "./documented.fixture.ts";
import { edgeValue, fieldValue, objectOf } from "./field-values.fixture.ts";
import { type ActorName, cast } from "./world.fixture.ts";

export type Kind = "valid" | "nearly valid" | "hostile";

/** The stages of the hub's checks, in the order of decisions §1. The first failing check decides. */
export const stages = [
  "url",
  "method",
  "credential",
  "pass",
  "body",
  "site",
  "input",
  "room",
] as const;

/** The failure that a request must get, and the stage that detects it. */
export interface Refusal {
  stage: (typeof stages)[number];
  status: number;
  error: string;
}

/**
 * A request of the fuzzer in the terms of the OpenAPI document. {@link Known} values are resolved
 * when the request is sent.
 */
export interface FuzzRequest {
  kind: Kind;
  /** A description of the change that the fuzzer made to a valid request. */
  twist: string;
  actor: ActorName;
  operation: Operation;
  method: string;
  path: Record<string, unknown>;
  query: [name: string, value: unknown][];
  /** The body before encoding; undefined for a request without one. */
  body: unknown;
  /** Encodes the JSON of the body, by default in UTF-8. */
  encode?: (json: string) => string | Uint8Array;
  /** Changes the request target, which is the path and query of the URL. */
  rewrite?: (target: string) => string;
  /** True if the changed request target may lead to another operation, or to none. */
  isElsewhere?: boolean;
  headers: Record<string, string>;
  refusal?: Refusal;
}

const actors = Object.keys(cast) as ActorName[];

/** Generates the actor of a request. In 7 of 10 cases the actor is authorised. */
function callerOf({ security, needsPass }: Operation): fc.Arbitrary<ActorName> {
  const fitting = actors.filter((name) => {
    const actor = cast[name];
    if (security.has("adminToken")) return actor.shows === "admin token";
    if (actor.shows === "key") return !needsPass || /vip|pro/.test(actor.pass);
    if (actor.shows === "session") return security.has("session");
    return security.has("none") && /nothing|guest/.test(actor.shows);
  });
  return fc.oneof(
    { weight: 7, arbitrary: fc.constantFrom(...fitting) },
    { weight: 3, arbitrary: fc.constantFrom(...actors) },
  );
}

export function validRequest(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const { parameters, body: schema } = operation;
  const inPath = parameters.filter((one) => one.in === "path");
  const inQuery = parameters.filter((one) => one.in === "query");
  const body = bodyRecipes[operation.id] ?? (schema ? objectOf(schema) : fc.constant(undefined));
  const query = objectOf({
    properties: Object.fromEntries(inQuery.map(({ name, schema: of }) => [name, of])),
    required: inQuery.flatMap(({ name, required }) => (required ? [name] : [])),
  });
  const path = fc.record(
    Object.fromEntries(inPath.map(({ name, schema: of }) => [name, fieldValue(name, of)])),
  );
  const file = operation.takesFile.length > 0 ? fileOf(operation) : fc.constant({ headers: {} });
  return fc.record({ actor: callerOf(operation), path, query, body, file }).map((made) => ({
    ...made,
    ...made.file,
    query: Object.entries(made.query),
    kind: "valid",
    twist: crossFieldRules.has(operation.id) ? "with rules beyond the document" : "as documented",
    operation,
    method: operation.method,
  }));
}

/** Generates the bytes of an import, in place of a JSON body. */
const fileOf = ({ takesFile }: Operation) =>
  fc.record({ text: importedText, mediaType: fc.constantFrom(...takesFile) }).map(
    ({ text, mediaType }): Pick<FuzzRequest, "body" | "encode" | "headers"> => ({
      body: {},
      encode: () => text,
      headers: { "content-type": mediaType },
    }),
  );

const isLongWait = (value: unknown) => Number(value) > 1 && Number(value) <= 25;

type Change = (request: FuzzRequest) => FuzzRequest;

/**
 * Generates a valid request with one field changed. The OpenAPI document's schema decides whether
 * the request is still valid.
 */
export function nearlyValidRequest(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const changes: fc.Arbitrary<Change>[] = [
    ...operation.parameters.flatMap(({ name, in: place, schema }): fc.Arbitrary<Change>[] => {
      if (place === "header") return [];
      const edge = edgeValue(schema).filter(
        (value) => typeof value !== "object" && !(name === "wait" && isLongWait(value)),
      );
      if (place === "path") {
        const filled = edge.filter((value) => value !== "");
        return [filled.map((value) => (one) => ({ ...one, path: { ...one.path, [name]: value } }))];
      }
      const without = (query: FuzzRequest["query"]) => query.filter(([given]) => given !== name);
      return [
        edge.map((value) => (one) => ({ ...one, query: [...without(one.query), [name, value]] })),
        fc.constant((one) => ({ ...one, query: without(one.query) })),
        edge.map((value) => (one) => ({ ...one, query: [...one.query, [name, value]] })),
        fc.constant((one) => ({
          ...one,
          query: one.query.map(([given, value]) => [given.toUpperCase(), value]),
        })),
      ];
    }),
    ...Object.entries(operation.body?.properties ?? {}).flatMap(([name, schema]) => [
      // The change to an edge value is listed twice and so chosen twice as often. It finds the most
      // failures.
      edgeValue(schema).map((value) => inBody({ [name]: value })),
      edgeValue(schema).map((value) => inBody({ [name]: value })),
      fc.constant(inBody({ [name]: undefined })),
      fc.constant(inBody({ [name]: undefined, [name.toUpperCase()]: "x" })),
    ]),
    fc.constantFrom("extra", "user_id", "is_admin", "Id").map((name) => inBody({ [name]: 1 })),
    fc.constant((one) => ({ ...one, query: [...one.query, ["extra", "1"]] })),
    // Another encoding of the body's JSON must not change the response.
    fc.constant((one) => ({ ...one, encode: escapeAll })),
    fc.constant((one) => ({ ...one, encode: (json) => `\n\t ${json}\r\n` })),
  ];
  return fc.tuple(validRequest(operation), fc.oneof(...changes)).map(([request, change]) => ({
    ...change(request),
    kind: "nearly valid",
    twist: "one field changed",
  }));
}

const inBody =
  (fields: object): Change =>
  (request) =>
    request.operation.body
      ? { ...request, body: { ...(request.body as object), ...fields } }
      : request;

/** Escapes every code unit of every string in a JSON text as \uXXXX. */
const escapeAll = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => {
    const units = (JSON.parse(text) as string).split("");
    const escaped = units.map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
    return `"${escaped.map((hex) => `\\u${hex}`).join("")}"`;
  });
