import type { Socket } from "node:net";
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from "fastify";
import { type FailureCode, HubError } from "../../errors.ts";
import { toHubError } from "../../trpc/to-hub-error.ts";
import { sendRawError } from "./raw-error.ts";
import { invalidPercentEncoding } from "./validate-url.ts";

/** Failure codes for the errors that Fastify itself raises. */
const fastifyFailures: Record<string, FailureCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  FST_ERR_CTP_INVALID_JSON_BODY: "invalid_json",
};

/** Maps any thrown value, such as an error of Fastify, to the error that the caller sees. */
export function failureOf(error: unknown): HubError {
  const { code = "" } = error as Partial<FastifyError>;
  if (code === "FST_ERR_BAD_URL") return invalidPercentEncoding(error);
  const known = fastifyFailures[code];
  return known ? new HubError(known, { cause: error }) : toHubError(error);
}

/** Logs an error of the hub or its database with its cause, which the caller does not see. */
export function logUnforeseen(log: Pick<FastifyBaseLogger, "error">, error: unknown): void {
  const { code, cause } = toHubError(error);
  if (code === "internal") log.error({ err: cause }, "a call failed");
  else if (code === "overloaded" && cause) log.error({ err: cause }, "the database is unavailable");
  else if (code === "storage_full") log.error({ err: cause }, "the disk of the database is full");
}

/** Returns the header `WWW-Authenticate` of a failure (RFC 6750 §3); undefined without one. */
export function challengeOf({ code, status, extra }: HubError): string | undefined {
  if (status === 401) return "Bearer";
  if (code !== "scope_missing") return undefined;
  const scope = extra?.scope === undefined ? "" : `, scope="${extra.scope}"`;
  return `Bearer error="insufficient_scope"${scope}`;
}

/** Logs an error, and sets the status and the headers of its response. */
export function beginErrorResponse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): HubError {
  const failure = failureOf(error);
  logUnforeseen(request.log, failure);
  reply.code(failure.status).header("x-request-id", request.id).header("cache-control", "no-store");
  const challenge = challengeOf(failure);
  if (challenge) reply.header("www-authenticate", challenge);
  if (failure.retryAfter !== undefined) reply.header("retry-after", String(failure.retryAfter));
  // Without `Connection: close`, Node would read the rest of the body to reach the next request.
  if (failure.status === 413 || failure.status === 415) reply.header("connection", "close");
  reply.header("content-type", "application/json; charset=utf-8");
  return failure;
}

/** Sends an error as JSON (decisions §1). */
export function sendErrorResponse(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = beginErrorResponse(error, request, reply);
  return reply.send(JSON.stringify(failure.toBody(request.id)));
}

/** Registers the responses to errors that Fastify catches, and to unknown URLs. */
export function registerErrorResponses(app: FastifyInstance): void {
  app.setErrorHandler(sendErrorResponse);
  app.setNotFoundHandler((request, reply) =>
    sendErrorResponse(new HubError("not_found"), request, reply),
  );
}

/**
 * Answers bytes that are not HTTP, and requests that time out. Node creates no response object for
 * these, so the hub writes the error to the socket.
 */
export function handleClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  baseUrl: string,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = error.code === "HPE_HEADER_OVERFLOW" ? "headers_too_large" : "bad_request";
  sendRawError(socket, new HubError(code), { baseUrl });
}
