import { z } from "zod";
import { type FailureCode, failureStatus, HubError, type HubErrorOptions } from "../errors.ts";
import { chatQuota } from "../quota/quota.schema.ts";
import type { Rung } from "../trpc.ts";
import { exampleOf, type JsonSchema } from "./openapi-examples.ts";
import { failureHeaders } from "./openapi-headers.ts";
import type { RestEndpoint } from "./rest-endpoints.ts";

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
const ifKeyed: readonly FailureCode[] = ["idempotency_in_flight", "idempotency_mismatch"];
const byRung: Partial<Record<Rung, readonly FailureCode[]>> = {
  passHolder: ["pass_required", "pass_expired"],
  admin: ["not_found"],
};

/** Where a cookie may carry a change, another site's page may try to. */
const takesCookie = ({ method, rung }: RestEndpoint): boolean =>
  method !== "GET" && (rung === "open" || rung === "member");

/** Every failure that an endpoint can answer: its own, and those that come with what it is. */
export const failuresOf = (endpoint: RestEndpoint): ReadonlySet<FailureCode> =>
  new Set([
    // To whoever is not the operator, the operator's addresses do not exist (decisions §5, Passes).
    ...always.filter((code) => code !== "unauthenticated" || endpoint.rung !== "admin"),
    ...(byRung[endpoint.rung] ?? []),
    ...(endpoint.method === "GET" ? [] : unlessGet),
    ...(takesCookie(endpoint) ? (["csrf_rejected"] as const) : []),
    ...(endpoint.idempotent ? ifKeyed : []),
    ...(endpoint.failures ?? []),
  ]);

const quotaSchema = withoutDialect(z.toJSONSchema(chatQuota, { io: "output" }));

export const failureSchema = {
  type: "object",
  description: "The one shape of every failure.",
  required: ["success", "error", "message", "request_id"],
  properties: {
    success: { const: false },
    error: { type: "string", description: "A stable code.", examples: ["soul_not_found"] },
    message: { type: "string", description: "For people.", examples: ["There is no such soul."] },
    request_id: {
      type: "string",
      description: "The answer's `X-Request-Id`.",
      examples: ["5e1f6c1e-3c5b-4f0e-9a53-0c9b6b7f2f10"],
    },
    details: {
      type: "array",
      description: "Only for invalid input: what is wrong with which field.",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: {
          field: { type: "string", description: "Its dotted path.", examples: ["title"] },
          message: { type: "string", examples: ["is required"] },
        },
      },
    },
    quota: { ...quotaSchema, description: "Only with `quota_exceeded`." },
  },
};

/** What some failures say besides their code and message. */
const particulars: Partial<Record<FailureCode, HubErrorOptions>> = {
  invalid_input: { details: [{ field: "title", message: "is required" }] },
  quota_exceeded: {
    extra: { quota: { ...(exampleOf(quotaSchema) as object), daily_remaining: 0 } },
  },
};

/** One example a code, for all operations. */
export function failureExamples(endpoints: readonly RestEndpoint[]) {
  const [requestId = ""] = failureSchema.properties.request_id.examples;
  const codes = new Set(endpoints.flatMap((endpoint) => [...failuresOf(endpoint)]));
  return Object.fromEntries(
    [...codes].sort().map((code) => {
      const failure = new HubError(code, particulars[code]);
      return [code, { summary: failure.message, value: failure.toBody(requestId) }];
    }),
  );
}

export const statusIn = ({ statuses = {} }: RestEndpoint, code: FailureCode): number =>
  statuses[code] ?? failureStatus(code);
const componentName = (status: number) => `Failure${status}`;

/** The failures that every endpoint has stand in the document once. */
export const sharedResponses = () =>
  Object.fromEntries(
    [...Map.groupBy(always, failureStatus)].map(([status, codes]) => [
      componentName(status),
      failureResponse(status, codes),
    ]),
  );

export function failureResponses(endpoint: RestEndpoint) {
  const byStatus = Map.groupBy(failuresOf(endpoint), (code) => statusIn(endpoint, code));
  const isShared = (found: FailureCode[]) => found.every((code) => always.includes(code));
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [
      status,
      isShared(found)
        ? { $ref: `#/components/responses/${componentName(status)}` }
        : failureResponse(status, found),
    ]),
  );
}

const failureResponse = (status: number, codes: FailureCode[]) => ({
  description: codes.map((code) => `\`${code}\``).join(", "),
  headers: failureHeaders(status, codes),
  content: {
    "application/json": {
      schema: {
        allOf: [
          { $ref: "#/components/schemas/Failure" },
          { properties: { error: { enum: codes } } },
        ],
      },
      examples: Object.fromEntries(
        codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      ),
    },
  },
});

export function withoutDialect({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
