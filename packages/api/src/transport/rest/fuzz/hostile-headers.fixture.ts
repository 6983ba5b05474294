import {
  invalidInput,
  pick,
  refused,
  type Twist,
  withHeader,
  withHeaders,
} from "./twist.fixture.ts";

export const hostileHeaders: Twist[] = [
  {
    twist: "headers that are too large",
    change: withHeader("x-large", "x".repeat(20_000)),
    refusal: refused("url", 431, "headers_too_large"),
  },
  {
    twist: "If-None-Match",
    fits: (one) => one.method === "GET",
    change: withHeaders("if-none-match", [
      "*",
      "*",
      '"x"',
      'W/"x", *',
      '"',
      ",,,",
      "*".repeat(3_000),
    ]),
    weight: 2,
  },
  {
    twist: "an Idempotency-Key",
    change: withHeaders("idempotency-key", ["k1", "k2", "é", "a b", "'; --", "k".repeat(255)]),
    weight: 8,
  },
  {
    twist: "an Idempotency-Key that is none",
    fits: ({ parameters }) => parameters.some((one) => one.name === "Idempotency-Key"),
    change: withHeaders("idempotency-key", ["", " ", "k".repeat(256)]),
    refusal: invalidInput,
  },
  {
    twist: "a malformed credential",
    change: withHeaders("authorization", [
      "",
      "Bearer",
      "Basic YWRhOnB3",
      "Bearer a b",
      "shk_abc",
      `Bearer ${"x".repeat(5_000)}`,
      "Bearer \u00e9",
    ]),
    refusal: refused("credential", 401, "unauthenticated"),
  },
  {
    // Another site's page matters only for state-changing calls with a cookie.
    twist: "another site's page",
    fits: ({ method, security }) =>
      method !== "GET" && (security.has("none") || security.has("session")),
    change: (request, nth) => ({
      actor: pick(["member", "guest", "owner at the page"], nth),
      headers: {
        ...request.headers,
        ...pick([{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }], nth),
      },
    }),
    weight: 4,
    refusal: refused("site", 403, "csrf_rejected"),
  },
  {
    twist: "a foreign host",
    change: (request) => ({ headers: { ...request.headers, host: "evil.example" } }),
    weight: 1,
    refusal: refused("url", 421, "misdirected_request"),
  },
  {
    twist: "odd headers",
    change: (request, nth) => ({
      headers: {
        ...request.headers,
        ...pick<Record<string, string>>(
          [
            { accept: "text/html;q=0.1, */*;q=0" },
            { accept: "text/event-stream" },
            { "x-request-id": "a\tb <script>" },
            { "x-request-id": "from-the-client_01" },
            { "x-http-method-override": "DELETE", "x-forwarded-for": "1.2.3.4, ::1, x" },
            { "accept-encoding": "gzip, br", range: "bytes=0-1", "if-match": "*" },
            { cookie: "soulhub_session=; soulhub_guest=a.b.c; =; %zz=%zz; soulhub_session=x" },
            { cookie: "__proto__=1; soulhub_guest=%00", "user-agent": "\u00e9'\"<>" },
            { "x-forwarded-host": "evil.example", forwarded: "for=x" },
            { "content-type": 'Application/JSON ; charset="UTF-8"' },
          ],
          nth,
        ),
      },
    }),
    weight: 3,
  },
];
