import { type TRPC_ERROR_CODE_KEY, TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";

/** tRPC's names of the statuses that failures have (errors.ts); 414 and 431 have none there. */
const names: Readonly<Record<number, TRPC_ERROR_CODE_KEY>> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  414: "BAD_REQUEST",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  431: "BAD_REQUEST",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
  504: "GATEWAY_TIMEOUT",
};

/**
 * What clients of tRPC go by, as its name in `data.code` and as its number in `code`. By the number
 * a subscription over SSE comes back by itself (every 5xx) or ends with the failure.
 */
export function trpcCodeOf(status: number): { name: TRPC_ERROR_CODE_KEY; number: number } {
  const name = names[status] ?? "INTERNAL_SERVER_ERROR";
  return { name, number: TRPC_ERROR_CODES_BY_KEY[name] };
}
