import type { FailureCode } from "../../errors.ts";
import { rateRules } from "../../rate-limits.ts";
import type { RestEndpoint } from "./rest-endpoints.ts";

const seconds = (description: string, example: number) => ({
  description,
  schema: { type: "integer", minimum: 0, examples: [example] },
});
const text = (description: string, example: string) => ({
  description,
  schema: { type: "string", examples: [example] },
});

const COOKIE = "soulhub_session=…; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax";

/** Every response header. Each operation refers to the headers that it sends. */
export const headerComponents = {
  RequestId: text(
    "Identifies this call in the hub's log. Your own value is used if it has 8 to 64 letters, digits, `-` or `_`.",
    "5e1f6c1e-3c5b-4f0e-9a53-0c9b6b7f2f10",
  ),
  RateLimit: seconds("Calls allowed in the current window.", rateRules.read.points),
  RateLimitRemaining: seconds("Calls left in the current window.", rateRules.read.points - 1),
  RateLimitReset: seconds("Seconds until the current window ends.", 60),
  RetryAfter: seconds("Seconds to wait before a retry.", 5),
  ETag: text("Send it back in `If-None-Match`.", '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
  ContentDisposition: text(
    "The name for the saved file.",
    'attachment; filename="the-patient-reviewer-1.zip"',
  ),
  WwwAuthenticate: text(
    "The required authentication scheme; with `scope_missing` also the scope.",
    "Bearer",
  ),
};

const refer = (name: keyof typeof headerComponents) => ({ $ref: `#/components/headers/${name}` });

const requestId = { "X-Request-Id": refer("RequestId") };
/** The headers of every counted call. */
export const countedHeaders = {
  ...requestId,
  "RateLimit-Limit": refer("RateLimit"),
  "RateLimit-Remaining": refer("RateLimitRemaining"),
  "RateLimit-Reset": refer("RateLimitReset"),
};

export const successHeaders = ({ shared, setsCookie, sendsFile }: RestEndpoint) => ({
  ...countedHeaders,
  ...(shared ? { ETag: refer("ETag") } : {}),
  ...(sendsFile ? { "Content-Disposition": refer("ContentDisposition") } : {}),
  ...(setsCookie ? { "Set-Cookie": text(setsCookie, COOKIE) } : {}),
});

export const notModifiedHeaders = { ...countedHeaders, ETag: refer("ETag") };

export const failureHeaders = (status: number, codes: readonly FailureCode[]) => ({
  ...(codes.includes("rate_limited") ? countedHeaders : requestId),
  ...(status === 401 || codes.includes("scope_missing")
    ? { "WWW-Authenticate": refer("WwwAuthenticate") }
    : {}),
  // A provider's open circuit breaker also sets Retry-After (decisions §5).
  ...(status === 429 || status === 503 || codes.includes("provider_failed")
    ? { "Retry-After": refer("RetryAfter") }
    : {}),
});
