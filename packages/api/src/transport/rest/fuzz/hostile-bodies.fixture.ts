import type { Operation } from "./documented.fixture.ts";
import type { FuzzRequest } from "./requests.fixture.ts";
import {
  invalidInput,
  pick,
  prototypeNames,
  refused,
  type Twist,
  takesBody,
  withHeader,
  withHeaders,
} from "./twist.fixture.ts";

/** Reports operations whose method lets Fastify parse a body, even if the operation has none. */
const readsBody = ({ method }: Operation) => method !== "GET";

const withBytes =
  (...choices: (string | Uint8Array)[]) =>
  (request: FuzzRequest, nth: number): Partial<FuzzRequest> => ({
    body: request.body ?? {},
    encode: () => pick(choices, nth),
  });
const withField = (name: string, value: unknown) => (request: FuzzRequest) => ({
  body: { ...(request.body as object), [name]: value },
});
const nest = (levels: number, open = '{"a":', close = "}") =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

export const hostileBodies: Twist[] = [
  {
    twist: "a content type that is not read",
    fits: readsBody,
    change: (request, nth) => ({
      ...withHeaders("content-type", [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "text/json",
      ])(request, nth),
      body: request.body ?? {},
    }),
    refusal: refused("body", 415, "unsupported_media_type"),
  },
  {
    twist: "broken JSON",
    fits: (operation) => readsBody(operation) && operation.takesFile.length === 0,
    change: withBytes(
      "{",
      '{"a":1,}',
      "{'a':1}",
      "NaN",
      '{"a":01}',
      '{"a":"\t\u0001"}',
      '{"a":1}}',
      new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
      Buffer.from('{"a":1}', "utf16le"),
    ),
    refusal: refused("body", 400, "invalid_json"),
  },
  {
    twist: "JSON that is no object",
    fits: takesBody,
    change: withBytes("null", "[]", '"text"', "1", "true", "[[]]", "1e400"),
    refusal: invalidInput,
  },
  {
    twist: "deep nesting",
    fits: takesBody,
    change: withBytes(nest(33), nest(8_000), `{"a":${nest(32, "[", "]")}}`),
    refusal: invalidInput,
  },
  {
    twist: "a body beyond every limit",
    fits: readsBody,
    change: withHeader("content-length", String(2 ** 33)),
    refusal: refused("body", 413, "body_too_large"),
  },
  {
    twist: "NUL in a text",
    fits: takesBody,
    change: (request, nth) => withField(pick(["title", "a", "content"], nth), "a\0b")(request),
    refusal: invalidInput,
  },
  {
    twist: "half a surrogate pair",
    fits: takesBody,
    change: (request, nth) => ({
      ...withField("a", "@")(request),
      encode: (json) => json.replace('"@"', pick(['"\\ud800"', '"x\\udc00y"'], nth)),
    }),
    refusal: invalidInput,
  },
  {
    twist: "huge numbers",
    fits: takesBody,
    change: withBytes(
      `{"soul_id":1${"0".repeat(400)},"id":1e999}`,
      `{"soul_id":-1e400,"rating":9007199254740993}`,
      `{"soul_id":0.1e-400,"version_id":1E5}`,
    ),
  },
  {
    twist: "names of the prototype",
    fits: takesBody,
    change: (request, nth) => ({
      encode: (json) =>
        `{"${pick(prototypeNames, nth)}":{"is_admin":true,"soul_id":1},${json.slice(1)}`,
      body: { spare: 1, ...(request.body as object) },
    }),
  },
];
