import fc from "fast-check";
import type { Schema } from "./documented.fixture.ts";
import { NEVER_LOGGED } from "./secrets.fixture.ts";
import { Known } from "./world.fixture.ts";

type Values = fc.Arbitrary<unknown>;

/** One of the values that the fuzzer looks up by name. */
export const known = (...names: string[]): Values =>
  fc.constantFrom(...names.map((name) => new Known(name)));

/** Texts that often break programs. A field that accepts any text accepts each of them. */
const notorious = [
  "'; drop table souls; --",
  "100% _under_ \\ back",
  "<script>alert(1)</script>",
  "{{constructor.constructor('return 1')()}}",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "null",
  "\u202eright to left",
  "e\u0301 é ﬁ ß İ ı",
  "👩‍👩‍👧 𝕏 \uffff",
  "\\u0000 %00",
  "a:* & !b | 'c'",
  "line one\r\nline two\ttab\u0085\u2028",
];

/** Generates a text that is never blank, with a number of code points that the schema allows. */
function textOf({ minLength = 0, maxLength = 300 }: Schema): Values {
  const most = Math.min(maxLength, 300);
  const cut = (text: string) => [...text].slice(0, most).join("").trim();
  const filled = (text: string) => text.padEnd(Math.max(minLength, 1), "x");
  const edges = [minLength || 1, maxLength].filter((length) => length <= 5_000);
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: "grapheme", maxLength: most }).map(cut).map(filled) },
    { weight: 3, arbitrary: fc.constantFrom(...notorious.map(cut).map(filled)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom("x", "é", "😀"), fc.constantFrom(...edges))
        .map(([sign, length]) => sign.repeat(length)),
    },
  );
}

function byType(schema: Schema): Values {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(byType));
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern), { size: "-1" });
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  switch (schema.type) {
    case "integer":
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.min(maximum, minimum + 60) }),
        fc.maxSafeInteger().filter((value) => value >= minimum && value <= maximum),
        fc.constantFrom(minimum, maximum),
      );
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "object":
      return objectOf(schema);
    default:
      return textOf(schema);
  }
}

/** A session token that no log line may contain. */
export const ownToken = fc
  .stringMatching(/^[\w.:-]{0,100}$/)
  .map((text) => `${NEVER_LOGGED}${text}`);

/** Generators of values by the name of a field, for all operations. */
const byName: Record<string, Values> = {
  session_token: fc.oneof(
    { weight: 4, arbitrary: known("private room") },
    { weight: 2, arbitrary: fc.constant("lobby") },
    { weight: 2, arbitrary: ownToken },
  ),
  version_id: known("public version", "private version", "gated version"),
};

// Most requests use the public soul, since every actor may use it.
const souls = fc.oneof(
  { weight: 4, arbitrary: known("public soul") },
  { weight: 2, arbitrary: known("gated soul") },
  {
    weight: 5,
    arbitrary: known("private soul", "opened soul", "work soul 0", "work soul 1", "work soul 2"),
  },
);

/** Generates a value that the OpenAPI document allows for a field. */
export function fieldValue(name: string, schema: Schema): Values {
  // The `wait` of chat-sync is always one second, since longer waits would only slow the fuzzer.
  if (name === "wait") return fc.constant(1);
  const subject = schema.type === "integer" && /^(?:soul_)?id$/.test(name) ? souls : byName[name];
  return subject
    ? fc.oneof({ weight: 5, arbitrary: subject }, { weight: 1, arbitrary: byType(schema) })
    : byType(schema);
}

/** Generates an object with all required fields and some of the others. */
export function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    fieldValue(name, schema),
  ]);
  const shape: Record<string, Values> = Object.fromEntries(fields);
  return fc.record(shape, { requiredKeys: required });
}

/** Generates values at and beyond the limits of a schema, and values of other types. */
export function edgeValue(schema: Schema): Values {
  const edges = (schema.anyOf ?? [schema]).flatMap(edgesOf);
  const others = [null, true, 1, "1", 0.5, -1, 1e308, [], [1], {}, { a: "b" }, ""];
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...others) },
    { weight: 3, arbitrary: fc.constantFrom(...(edges.length > 0 ? edges : others)) },
  );
}

/**
 * The length of the longest text at or beyond a limit. The fuzzer does not test larger limits, such
 * as the 200,000 characters of a soul's content.
 */
const MAX_EDGE = 5_000;

function edgesOf(schema: Schema): unknown[] {
  const { minimum, maximum, minLength = 0, maxLength, pattern } = schema;
  const allowed = [schema.const, ...(schema.enum ?? [])].filter((value) => value !== undefined);
  const lengths = [minLength - 1, minLength, maxLength ?? 100, (maxLength ?? 100) + 1];
  return [
    ...[minimum, maximum].flatMap((edge) => (edge === undefined ? [] : [edge - 1, edge, edge + 1])),
    ...allowed.flatMap((value) => [String(value).toUpperCase(), `${value} `, `${value}x`]),
    ...(schema.type === "string"
      ? lengths
          .filter((at) => at >= 0 && at <= MAX_EDGE)
          .flatMap((at) => ["x".repeat(at), "😀".repeat(at)])
      : []),
    ...(pattern ? ["é", "a b", "a\n", "ａ", ".", "-", "A".repeat(500)] : []),
  ];
}
