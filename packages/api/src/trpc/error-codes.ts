import { type TRPC_ERROR_CODE_KEY, TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";

/** tRPC's error names for the HTTP statuses in errors.ts. tRPC has none for 414, 421 and 431. */
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
  421: "BAD_REQUEST",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  431: "BAD_REQUEST",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
  504: "GATEWAY_TIMEOUT",
};

/**
 * Returns the error codes for tRPC clients: the name in `data.code` and the number in `code`. An
 * SSE subscription reconnects if the number corresponds to a 5xx status. Any other error ends it.
 */
export function trpcErrorCodeOf(status: number): { name: TRPC_ERROR_CODE_KEY; number: number } {
  const name = names[status] ?? "INTERNAL_SERVER_ERROR";
  return { name, number: TRPC_ERROR_CODES_BY_KEY[name] };
}
