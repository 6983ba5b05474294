import { z } from "zod";
import type { Rung } from "../trpc.ts";
import { exampleOf, type JsonSchema } from "./openapi-examples.ts";
import {
  failureExamples,
  failureResponses,
  failureSchema,
  sharedResponses,
  withoutDialect,
} from "./openapi-failures.ts";
import { headerComponents, notModifiedHeaders, successHeaders } from "./openapi-headers.ts";
import { type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

const security: Record<Rung, object[]> = {
  open: [{}, { apiKey: [] }, { session: [] }],
  member: [{ apiKey: [] }, { session: [] }],
  keyHolder: [{ apiKey: [] }],
  passHolder: [{ apiKey: [] }],
  admin: [{ adminToken: [] }],
};

const description = `\
Every success is 200 with \`success: true\`. Every failure has the one shape \`Failure\`: \`error\` is a
code for machines and never changes, \`message\` is for people.

- **Credentials.** Register, and send the API key as \`Authorization: Bearer shk_…\`. A bad key is 401
  everywhere, also where none is needed.
- **Fields.** Unknown ones are ignored, and answers may gain new ones. Times are UTC,
  \`YYYY-MM-DD HH:MM:SS\`. A character is a Unicode code point.
- **Order of refusals.** Address 404, method 405, credential 401, pass 403, body 413, 415 and 400, what it
  speaks of 404, whose it is and gates 403, conflicts 409, rate and quota 429, model providers 502 and 504.
- **Caching.** What anybody may read carries an \`ETag\`; answers to a credential are \`no-store\`.
- **Pages of other sites** may call with a key, and read every header that is documented here; cookies
  are not taken from there.`;

/** OpenAPI 3.1 of the REST door, made from the schemas that the procedures themselves check with. */
export function openApiDocument(version: string) {
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
    servers: [{ url: "/" }],
    tags: tagsOf(endpoints),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "Your API key, from register or login.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "soulhub_session",
          description:
            "From login with `remember`, or from wallet-login. Over https it is called `__Host-soulhub_session`.",
        },
        adminToken: { type: "http", scheme: "bearer", description: "The operator's ADMIN_TOKEN." },
      },
      schemas: { Failure: failureSchema },
      headers: headerComponents,
      responses: sharedResponses(),
      examples: failureExamples(endpoints),
    },
  };
}

const tagDescriptions: Record<string, string> = {
  Accounts: "Register, sign in and out, and read your own account.",
  Souls: "Browse, publish, update and delete agent definitions; read and restore their history.",
  "Profiles and social": "Like, rate and fork souls, and see what somebody has published.",
  "Own provider keys": "Talk to souls with a model provider's key of your own.",
  Chat: "Talk to a soul in a room, and follow what others say there.",
  "Mini apps": "Forms that make a good first message to a soul.",
  Operator: "For whoever runs the hub.",
};

const tagsOf = (endpoints: RestEndpoint[]) =>
  [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({
    name,
    description: tagDescriptions[name] ?? name,
  }));

function operation(endpoint: RestEndpoint) {
  const input = toSchema(endpoint.input, "input");
  const pathNames = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const hasBody = endpoint.method === "POST" || endpoint.method === "PUT";
  const names = Object.keys(input.properties ?? {});
  const bodyNames = hasBody ? names.filter((name) => !pathNames.includes(name)) : [];
  const parameters: object[] = names
    .filter((name) => !bodyNames.includes(name))
    .map((name) => parameter(input, name, pathNames.includes(name) ? "path" : "query"));
  if (endpoint.idempotent) parameters.push(idempotencyKey);
  if (endpoint.shared) parameters.push(ifNoneMatch);
  return {
    operationId: endpoint.name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    security: security[endpoint.rung],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(bodyNames.length > 0 ? { requestBody: requestBody(input, bodyNames, endpoint.body) } : {}),
    responses: {
      200: success(endpoint),
      ...(endpoint.shared ? { 304: notModified } : {}),
      ...failureResponses(endpoint),
    },
  };
}

const notModified = {
  description: "Unchanged since the answer whose `ETag` came back in `If-None-Match`.",
  headers: notModifiedHeaders,
};

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A repeat with the same key within 24 hours gets the first answer and changes nothing.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  examples: unsent("publish-2026-01-31-a"),
};

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of the answer you hold. Heeded where no credential is shown.",
  schema: { type: "string" },
  examples: unsent(headerComponents.ETag.schema.examples[0]),
};

/** `x-disabled` is for /docs: to try an operation twice must not be one call under one key. */
function unsent(value: string | undefined) {
  return { example: { value, "x-disabled": true } };
}

const toSchema = (schema: z.ZodType, io: "input" | "output"): JsonSchema =>
  withoutDialect(z.toJSONSchema(schema, { io, unrepresentable: "any" }));

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
  const schema = successSchema(endpoint);
  const example = exampleOf(schema);
  const stream = `event: delta\ndata: {"offset":0,"text":"Two spaces"}\n\nevent: done\ndata: ${JSON.stringify(example)}\n\n`;
  const named = Object.entries(endpoint.answers ?? {}).map(([summary, value], at) => [
    `answer${at + 1}`,
    { summary, value: { success: true, ...value } },
  ]);
  return {
    description: "Done.",
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
  const schema = toSchema(output, "output");
  return {
    ...schema,
    properties: { success: { const: true }, ...schema.properties },
    required: ["success", ...(schema.required ?? [])],
    // Answers may gain fields (decisions §2): clients must not refuse them.
    additionalProperties: true,
  };
}
