import { keyScopes } from "../../caller/key-scopes.schema.ts";
import type { AccessLevel } from "../../trpc/procedure-meta.ts";
import { mcpPaths, mcpTag } from "../mcp/mcp-openapi.ts";
import { exampleOf, type JsonSchema, namedSchemas, toJsonSchema } from "./openapi-examples.ts";
import {
  failureComponents,
  failureExamples,
  failureResponses,
  failureSchema,
} from "./openapi-failures.ts";
import { headerComponents, notModifiedHeaders, successHeaders } from "./openapi-headers.ts";
import { hasJsonBody, type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";
import { v1Paths, v1Schemas, v1Tag } from "./v1-openapi.ts";

/** The credentials of each access level. */
const credentials: Record<AccessLevel, readonly ("none" | "key" | "session" | "adminToken")[]> = {
  open: ["none", "key", "session"],
  member: ["key", "session"],
  participant: ["key", "session"],
  keyHolder: ["key"],
  passHolder: ["key"],
  sessionOrPass: ["key", "session"],
  reader: ["key"],
  staff: ["key", "session"],
  adminOrOperator: ["key", "session", "adminToken"],
  admin: ["adminToken"],
};

/** The security requirements of an operation. That of a key names the scope of named keys. */
const securityOf = ({ access, need }: RestEndpoint): object[] =>
  credentials[access].map((name) => {
    if (name === "none") return {};
    return { [name]: name === "key" && isScope(need) ? [need] : [] };
  });

const isScope = (need: string) => (keyScopes as readonly string[]).includes(need);

const description = `\
Every success is 200 with \`success: true\`. Every failure has a \`Failure\` body: \`error\` is a code that
never changes, \`message\` is a text for people.

- **Credentials.** Register, and send the API key as \`Authorization: Bearer shk_…\`. A bad key is 401
  everywhere, even on endpoints that need no key.
- **Keys and scopes.** Give each program a named key of its own (\`POST /api/keys\`), with the scopes that it
  needs: \`souls:read\` (your private souls and their versions), \`souls:write\`, \`chat\`, \`social\`,
  \`account:read\`. Public reads need none. A missing scope is 403 \`scope_missing\`. An operation without a
  scope that is not public takes the main key or a session only.
- **Secret scanners.** A key matches \`\\bshk_[0-9A-Za-z]{36}\\b\`. Its last six characters are the CRC32 of
  those before, in base62 (0-9A-Za-z), padded with 0.
- **Fields.** Unknown request fields are ignored. Answers may gain new fields. Times are UTC,
  \`YYYY-MM-DD HH:MM:SS\`. A character is a Unicode code point.
- **Order of checks.** Route 404, method 405, credential 401, pass 403, body 413, 415 and 400, entity 404,
  ownership, privacy and NFT gates 403, conflicts 409, rate and quota 429, model provider 502 and 504.
- **Caching.** Public answers carry an \`ETag\`. Answers to a call with a credential are \`no-store\`.
- **Other transports.** Souls are models of OpenAI's protocol at \`/v1\`, and tools, prompts and resources of the
  Model Context Protocol at \`/mcp\`. Both have chapters at the end of this document, and failures of their own.
- **CORS.** Pages of any origin may call with a key and read every documented header. Cookies are
  ignored there.`;

/**
 * Builds the OpenAPI 3.1 document from the schemas that the procedures validate with.
 * @param baseUrl the hub's public URL, for programs that import a served document; by default the
 *   addresses are relative
 */
export function openApiDocument(version: string, baseUrl = "") {
  const endpoints = restEndpoints();
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = `/api${endpoint.path}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Soul Hub",
      version,
      summary: "A hub of AI agent definitions, with live rooms to talk to them in.",
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl || "/" }],
    tags: [...tagsOf(endpoints), v1Tag(baseUrl), mcpTag(baseUrl)],
    paths: { ...paths, ...v1Paths, ...mcpPaths } as Record<string, Record<string, object>>,
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description:
            "Your main API key, from register or login, or a named key from POST /api/keys. A named key needs the scope that an operation names.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "soulhub_session",
          description:
            "Set by login with `remember`, and by wallet-login. Its name over https is `__Host-soulhub_session`.",
        },
        adminToken: { type: "http", scheme: "bearer", description: "The operator's ADMIN_TOKEN." },
      },
      schemas: { Failure: failureSchema, ...v1Schemas, ...namedSchemas },
      parameters: headerParameters,
      headers: headerComponents,
      responses: { NotModified: notModified, ...failureComponents(endpoints) },
      examples: failureExamples(endpoints),
    },
  };
}

/** The description of each tag. Tags are the tRPC namespaces. */
const tagDescriptions: Record<string, string> = {
  accounts: "Register, log in and out, and read your own account.",
  wallet: "Bind a NEAR wallet, and log in with it.",
  souls: "Browse, publish, update and delete souls.",
  versions: "Read and restore earlier versions of a soul.",
  social: "Like, rate and fork souls, and read profiles.",
  chat: "Chat with a soul, and read sessions and quota.",
  byok: "Bring your own key: chat through your own account at a model provider.",
  rooms: "Follow a room: messages, presence and replies in progress.",
  apps: "Mini apps: forms that compose a first message to a soul.",
  archive: "Take everything of your account along.",
  passes: "For the operator: grant and revoke passes.",
  masterKeys: "For the operator: rotate the master keys.",
  usage: "For the operator: read the usage of models.",
  backup: "For the operator: move an embedded hub to PostgreSQL.",
};

/** An operation's tag is the tRPC namespace of its procedure. */
const tagOf = ({ name }: RestEndpoint): string => name.split(".")[0] ?? name;

const tagsOf = (endpoints: RestEndpoint[]) =>
  [...new Set(endpoints.map(tagOf))].map((name) => ({ name, description: tagDescriptions[name] }));

function operation(endpoint: RestEndpoint) {
  const input = toJsonSchema(endpoint.input, "input");
  const pathNames = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const { takesFile } = endpoint;
  const names = Object.keys(input.properties ?? {}).filter((name) => !takesFile || name !== "file");
  const bodyNames = hasJsonBody(endpoint) ? names.filter((name) => !pathNames.includes(name)) : [];
  const parameters: object[] = names
    .filter((name) => !bodyNames.includes(name))
    .map((name) => parameter(input, name, pathNames.includes(name) ? "path" : "query"));
  if (endpoint.idempotent) parameters.push(referTo("IdempotencyKey"));
  if (endpoint.shared) parameters.push(referTo("IfNoneMatch"));
  return {
    operationId: endpoint.name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    security: securityOf(endpoint),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(takesFile ? { requestBody: { required: true, content: files(takesFile) } } : {}),
    ...(bodyNames.length > 0 ? { requestBody: requestBody(input, bodyNames, endpoint.body) } : {}),
    responses: {
      200: success(endpoint),
      ...(endpoint.shared ? { 304: { $ref: "#/components/responses/NotModified" } } : {}),
      ...failureResponses(endpoint),
    },
  };
}

/** Bytes have no schema in OpenAPI 3.1; the media type says what they are. */
const files = (mediaTypes: readonly string[]) =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, {}]));

const notModified = {
  description: "Unchanged: `If-None-Match` names the current `ETag`.",
  headers: notModifiedHeaders,
};

const headerParameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "A repeat with the same key within 24 hours returns the first answer and changes nothing.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    examples: unsent("publish-2026-01-31-a"),
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    description: "The `ETag` of your cached answer. Ignored if the call has a credential.",
    schema: { type: "string" },
    examples: unsent(headerComponents.ETag.schema.examples[0]),
  },
};

const referTo = (name: keyof typeof headerParameters) => ({
  $ref: `#/components/parameters/${name}`,
});

/** `x-disabled` keeps the page /docs from sending the example value by default. */
function unsent(value: string | undefined) {
  return { example: { value, "x-disabled": true } };
}

function parameter(input: JsonSchema, name: string, place: "path" | "query") {
  const { description, ...schema } = (input.properties?.[name] ?? {}) as JsonSchema;
  return {
    name,
    in: place,
    required: place === "path" || (input.required ?? []).includes(name),
    ...(description ? { description } : {}),
    schema,
  };
}

function requestBody(input: JsonSchema, names: string[], example?: object) {
  const required = (input.required ?? []).filter((name) => names.includes(name));
  const schema = {
    type: "object" as const,
    properties: Object.fromEntries(names.map((name) => [name, input.properties?.[name] ?? {}])),
    ...(required.length > 0 ? { required } : {}),
  };
  return {
    required: required.length > 0,
    content: { "application/json": { schema, example: example ?? exampleOf(schema) } },
  };
}

function success(endpoint: RestEndpoint) {
  if (endpoint.sendsFile) {
    return {
      description: "The file, as an attachment.",
      headers: successHeaders(endpoint),
      content: files(endpoint.sendsFile),
    };
  }
  const schema = successSchema(endpoint);
  const example = exampleOf(schema);
  const stream = `event: delta\ndata: {"offset":0,"text":"Two spaces"}\n\nevent: done\ndata: ${JSON.stringify(example)}\n\n`;
  const named = Object.entries(endpoint.answers ?? {}).map(([summary, value], at) => [
    `answer${at + 1}`,
    { summary, value: { success: true, ...value } },
  ]);
  return {
    description: "Success.",
    headers: successHeaders(endpoint),
    content: {
      "application/json": {
        schema,
        ...(named.length > 0 ? { examples: Object.fromEntries(named) } : { example }),
      },
      ...(endpoint.streams
        ? { "text/event-stream": { schema: { type: "string" }, example: stream } }
        : {}),
    },
  };
}

function successSchema({ output }: RestEndpoint): JsonSchema {
  const schema = toJsonSchema(output, "output");
  return {
    ...schema,
    properties: { success: { const: true }, ...schema.properties },
    required: ["success", ...(schema.required ?? [])],
    // Answers may gain fields (decisions §2), so clients must accept unknown fields.
    additionalProperties: true,
  };
}
