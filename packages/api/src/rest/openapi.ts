import { z } from "zod";
import { type FailureCode, failureStatus } from "../errors.ts";
import type { Rung } from "../trpc.ts";
import { type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What any endpoint can answer: an address or a header may be unreadable whatever it asks for. */
const always: readonly FailureCode[] = [
  "invalid_input",
  "bad_request",
  "unauthenticated",
  "uri_too_long",
  "headers_too_large",
  "rate_limited",
  "internal",
  "overloaded",
  "shutting_down",
];
/** What is sent with any method but GET is read, also where no endpoint needs it. */
const unlessGet: readonly FailureCode[] = [
  "invalid_json",
  "body_too_large",
  "unsupported_media_type",
];
/** Where a cookie may carry a change, another site's page may try to. */
const byCookie: readonly FailureCode[] = ["csrf_rejected"];
const ifKeyed: readonly FailureCode[] = ["idempotency_in_flight", "idempotency_mismatch"];

const byRung: Record<Rung, { security: object[]; failures: readonly FailureCode[] }> = {
  open: { security: [{}, { apiKey: [] }, { session: [] }], failures: [] },
  member: { security: [{ apiKey: [] }, { session: [] }], failures: [] },
  keyHolder: { security: [{ apiKey: [] }], failures: [] },
  passHolder: { security: [{ apiKey: [] }], failures: ["pass_required", "pass_expired"] },
  admin: { security: [{ adminToken: [] }], failures: ["not_found"] },
};

/** OpenAPI 3.1 of the REST door, made from the schemas that the procedures themselves check with. */
export function openApiDocument(version: string) {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of restEndpoints()) {
    const path = `/api${endpoint.path}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Soul Hub",
      version,
      summary: "A hub of AI agent definitions, with live rooms to talk to them in.",
      description:
        "Every success is 200 with `success: true`. Every failure has the one shape `Failure`; `error` is for machines and never changes.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: tagsOf(restEndpoints()),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "Your API key, from register or login.",
        },
        session: { type: "apiKey", in: "cookie", name: "soulhub_session" },
        adminToken: { type: "http", scheme: "bearer", description: "The operator's ADMIN_TOKEN." },
      },
      schemas: { Failure: failureSchema },
      responses: sharedResponses(),
    },
  };
}

const tagDescriptions: Record<string, string> = {
  Accounts: "Register, sign in and out, and read your own account.",
  Souls: "Browse, publish, update and delete agent definitions; read and restore their history.",
  "Profiles and social": "Like, rate and fork souls, and see what somebody has published.",
  Chat: "Talk to a soul in a room, and follow what others say there.",
  "Mini apps": "Forms that make a good first message to a soul.",
  Operator: "For whoever runs the hub.",
};

const tagsOf = (endpoints: RestEndpoint[]) =>
  [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({
    name,
    description: tagDescriptions[name] ?? name,
  }));

const failureSchema = {
  type: "object",
  required: ["success", "error", "message", "request_id"],
  properties: {
    success: { const: false },
    error: { type: "string", description: "A stable code." },
    message: { type: "string", description: "For people." },
    request_id: { type: "string" },
    details: {
      type: "array",
      description: "Only for invalid input: what is wrong with which field.",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: { field: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

function operation(endpoint: RestEndpoint) {
  const { security, failures } = byRung[endpoint.rung];
  const input = toSchema(endpoint.input, "input");
  const pathNames = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const hasBody = endpoint.method === "POST" || endpoint.method === "PUT";
  const names = Object.keys(input.properties ?? {});
  const bodyNames = hasBody ? names.filter((name) => !pathNames.includes(name)) : [];
  const parameters: object[] = names
    .filter((name) => !bodyNames.includes(name))
    .map((name) => parameter(input, name, pathNames.includes(name) ? "path" : "query"));
  if (endpoint.idempotent) parameters.push(idempotencyKey);
  return {
    operationId: endpoint.name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    security,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(bodyNames.length > 0 ? { requestBody: requestBody(input, bodyNames) } : {}),
    responses: {
      200: {
        description: "Done.",
        content: {
          "application/json": { schema: successSchema(endpoint) },
          ...(endpoint.streams ? { "text/event-stream": { schema: { type: "string" } } } : {}),
        },
      },
      ...(endpoint.shared ? { 304: notModified } : {}),
      ...failureResponses([
        ...always,
        ...failures,
        ...(endpoint.method === "GET" ? [] : unlessGet),
        ...(endpoint.method !== "GET" && takesCookie(endpoint) ? byCookie : []),
        ...(endpoint.idempotent ? ifKeyed : []),
        ...(endpoint.failures ?? []),
      ]),
    },
  };
}

const takesCookie = ({ rung }: RestEndpoint): boolean => rung === "open" || rung === "member";

const notModified = {
  description: "Unchanged since the answer whose `ETag` came back in `If-None-Match`.",
  headers: { ETag: { schema: { type: "string" } } },
};

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A repeat with the same key within 24 hours gets the first answer and changes nothing.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function toSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
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

function requestBody(input: JsonSchema, names: string[]) {
  const required = (input.required ?? []).filter((name) => names.includes(name));
  return {
    required: required.length > 0,
    content: {
      "application/json": {
        schema: {
          type: "object",
          properties: Object.fromEntries(names.map((name) => [name, input.properties?.[name]])),
          ...(required.length > 0 ? { required } : {}),
        },
      },
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

const byStatus = (codes: readonly FailureCode[]) => [...Map.groupBy(new Set(codes), failureStatus)];
const componentName = (status: number) => `Failure${status}`;

/** The failures that every endpoint has stand in the document once. */
const sharedResponses = () =>
  Object.fromEntries(
    byStatus(always).map(([status, codes]) => [
      componentName(status),
      failureResponse(status, codes),
    ]),
  );

function failureResponses(codes: FailureCode[]) {
  const isShared = (found: FailureCode[]) => found.every((code) => always.includes(code));
  return Object.fromEntries(
    byStatus(codes).map(([status, found]) => [
      status,
      isShared(found)
        ? { $ref: `#/components/responses/${componentName(status)}` }
        : failureResponse(status, found),
    ]),
  );
}

const failureResponse = (status: number, codes: FailureCode[]) => ({
  description: codes.map((code) => `\`${code}\``).join(", "),
  ...(status === 429 || status === 503
    ? { headers: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } } }
    : {}),
  content: {
    "application/json": {
      schema: {
        allOf: [
          { $ref: "#/components/schemas/Failure" },
          { properties: { error: { enum: codes } } },
        ],
      },
    },
  },
});
