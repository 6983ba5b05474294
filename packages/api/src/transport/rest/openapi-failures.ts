import { restriction } from "../../caller/restriction.schema.ts";
import { type FailureCode, failureStatus, HubError, type HubErrorOptions } from "../../errors.ts";
import { utcTime } from "../../fields.schema.ts";
import { chatQuota } from "../../quota/quota.schema.ts";
import type { AccessLevel } from "../../trpc/procedure-meta.ts";
import { exampleOf, toJsonSchema } from "./openapi-examples.ts";
import { failureHeaders } from "./openapi-headers.ts";
import type { RestEndpoint } from "./rest-endpoints.ts";

/** Failures that every endpoint can have, for example for an unreadable URL or header. */
const common: readonly FailureCode[] = [
  "invalid_input",
  "bad_request",
  "unauthenticated",
  "account_suspended",
  "uri_too_long",
  "misdirected_request",
  "headers_too_large",
  "rate_limited",
  "internal",
  "overloaded",
  "storage_full",
  "maintenance",
  "shutting_down",
];
/**
 * Failures of reading a body. The hub parses a body for every method but GET, even if the endpoint
 * ignores it.
 */
const ofBodies: readonly FailureCode[] = [
  "invalid_json",
  "body_too_large",
  "unsupported_media_type",
];
const ofIdempotencyKeys: readonly FailureCode[] = ["idempotency_in_flight", "idempotency_mismatch"];
const byAccess: Partial<Record<AccessLevel, readonly FailureCode[]>> = {
  passHolder: ["pass_required", "pass_expired"],
  sessionOrPass: ["pass_required", "pass_expired"],
  admin: ["not_found"],
  adminOrOperator: ["not_found"],
  staff: ["not_found"],
};
/** The levels that answer 404 instead of 401. */
const hidden: readonly AccessLevel[] = ["admin", "adminOrOperator", "staff"];

/**
 * True if an endpoint needs protection against cross-site request forgery: it changes state, and a
 * cookie can authenticate its calls.
 */
const takesCookie = ({ method, access }: RestEndpoint): boolean =>
  method !== "GET" &&
  ["open", "member", "participant", "sessionOrPass", "staff", "adminOrOperator"].includes(access);

const mayRefuseStanding = ({ access, whileSuspended, writes }: RestEndpoint): boolean =>
  access !== "admin" && (!whileSuspended || writes === true);

/**
 * Returns every failure of an endpoint: common failures, failures of its method and access level,
 * and failures that it declares itself.
 */
export const failuresOf = (endpoint: RestEndpoint): ReadonlySet<FailureCode> =>
  new Set([
    // Without the admin token, the operator's endpoints respond with 404 (decisions §5, Passes). So
    // do those of the staff (0057).
    ...common.filter(
      (code) =>
        (code !== "unauthenticated" || !hidden.includes(endpoint.access)) &&
        (code !== "account_suspended" || mayRefuseStanding(endpoint)),
    ),
    ...(byAccess[endpoint.access] ?? []),
    ...(endpoint.need === "public" || endpoint.access === "admin"
      ? []
      : (["scope_missing"] as const)),
    ...(endpoint.method === "GET"
      ? []
      : ofBodies.filter((code) => code !== "invalid_json" || !endpoint.takesFile)),
    ...(takesCookie(endpoint) ? (["csrf_rejected"] as const) : []),
    ...(endpoint.needsVerified ? (["email_unverified"] as const) : []),
    ...(endpoint.idempotent ? ofIdempotencyKeys : []),
    ...(endpoint.failures ?? []),
  ]);

const quotaSchema = toJsonSchema(chatQuota, "output");

export const failureSchema = {
  type: "object",
  description: "Body of every failure.",
  required: ["success", "error", "message", "request_id"],
  properties: {
    success: { const: false },
    error: {
      type: "string",
      description: "A code that never changes.",
      examples: ["soul_not_found"],
    },
    message: {
      type: "string",
      description: "A text for people.",
      examples: ["This soul does not exist, or it is private."],
    },
    request_id: {
      type: "string",
      description: "The value of `X-Request-Id`.",
      examples: ["5e1f6c1e-3c5b-4f0e-9a53-0c9b6b7f2f10"],
    },
    details: {
      type: "array",
      description: "Only for invalid input: each wrong field, or path in a file, and the reason.",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: {
          field: { type: "string", description: "Dotted path of the field.", examples: ["title"] },
          message: { type: "string", examples: ["is required"] },
        },
      },
    },
    quota: { ...quotaSchema, description: "Only with `quota_exceeded`." },
    scope: {
      type: "string",
      description: "Only with `scope_missing`: the scope that the key lacks.",
      examples: ["souls:write"],
    },
    deletes_at: {
      ...toJsonSchema(utcTime, "output"),
      description: "Only with `account_deleting`: when the account will be deleted.",
    },
    ...Object.fromEntries(
      Object.entries(restriction.shape).map(([name, shape]) => [
        name,
        {
          ...toJsonSchema(shape, "output"),
          description: `Only with \`account_suspended\`${name === "until" ? " and `banned`" : ""}.`,
        },
      ]),
    ),
  },
};

/** Additional fields of a failure's example, for the failures that have such fields. */
const exampleFields: Partial<Record<FailureCode, HubErrorOptions>> = {
  account_deleting: { extra: { deletes_at: "2026-02-14 12:00:00" } },
  banned: { extra: { until: "2026-02-14 12:00:00" } },
  account_suspended: { extra: { until: null, reason: "spam", decision_id: 1 } },
  invalid_input: { details: [{ field: "title", message: "is required" }] },
  scope_missing: { extra: { scope: "souls:write" } },
  import_invalid: { details: [{ field: "SOUL.md", message: "has a wrong checksum" }] },
  quota_exceeded: {
    extra: { quota: { ...(exampleOf(quotaSchema) as object), daily_remaining: 0 } },
  },
};

/** Returns one example response per error code. All operations share these examples. */
export function failureExamples(endpoints: readonly RestEndpoint[]) {
  const [requestId = ""] = failureSchema.properties.request_id.examples;
  const codes = new Set(endpoints.flatMap((endpoint) => [...failuresOf(endpoint)]));
  return Object.fromEntries(
    [...codes].sort().map((code) => {
      const failure = new HubError(code, exampleFields[code]);
      return [code, { summary: failure.message, value: failure.toBody(requestId) }];
    }),
  );
}

export const statusIn = ({ statuses = {} }: RestEndpoint, code: FailureCode): number =>
  statuses[code] ?? failureStatus(code);

/** The failures of an endpoint that have one status. */
interface FailureSet {
  name: string;
  status: number;
  codes: FailureCode[];
}

function failureSetsOf(endpoint: RestEndpoint): FailureSet[] {
  const byStatus = Map.groupBy(failuresOf(endpoint), (code) => statusIn(endpoint, code));
  return [...byStatus].map(([status, codes]) => ({ name: setName(status, codes), status, codes }));
}

/**
 * Names a set by the codes that it has besides the {@link common} ones of its status, such as
 * `Failure403ScopeMissingOrNotOwner`. `Only` says that it lacks a common one.
 */
function setName(status: number, codes: FailureCode[]): string {
  const ofAll = common.filter((code) => failureStatus(code) === status);
  const own = codes.filter((code) => !ofAll.includes(code)).map(pascalCase);
  const only = ofAll.every((code) => codes.includes(code)) ? "" : "Only";
  return `Failure${status}${only}${own.join("Or")}`;
}

const pascalCase = (code: string) =>
  code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The response of each set of failures, by the name of the set. */
export const failureComponents = (endpoints: readonly RestEndpoint[]) =>
  Object.fromEntries(
    endpoints.flatMap(failureSetsOf).map((set) => [set.name, failureResponse(set)]),
  );

/** Refers to the {@link failureComponents} of an endpoint. */
export const failureResponses = (endpoint: RestEndpoint) =>
  Object.fromEntries(
    failureSetsOf(endpoint).map(({ status, name }) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  );

const failureResponse = ({ status, codes }: FailureSet) => ({
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
