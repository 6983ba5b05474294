import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from "fastify";
import { type FailureCode, failureStatus, HubError } from "../errors.ts";
import { toHubError } from "../trpc.ts";
import { badlyEncoded } from "./readable-url.ts";

/** What Fastify itself refuses, in the hub's words. */
const fastifyFailures: Record<string, FailureCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  FST_ERR_CTP_INVALID_JSON_BODY: "invalid_json",
};

const parserFailures: Record<string, FailureCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "bad_request",
};

export function failureOf(error: unknown): HubError {
  const { code = "" } = error as Partial<FastifyError>;
  if (code === "FST_ERR_BAD_URL") return badlyEncoded(error);
  const known = fastifyFailures[code];
  return known ? new HubError(known, { cause: error }) : toHubError(error);
}

/** What nobody foresaw is for the log; the caller learns only that it happened. */
export function logUnforeseen(log: Pick<FastifyBaseLogger, "error">, error: unknown): void {
  const failure = toHubError(error);
  const { code, cause } = failure;
  if (code === "internal") log.error({ err: cause }, "a call failed");
  else if (code === "overloaded" && cause) log.error({ err: cause }, "a call was turned away");
}

/** Answers one failure, in the one shape there is (decisions §1). */
export function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = failureOf(error);
  logUnforeseen(request.log, failure);
  reply.code(failure.status).header("x-request-id", request.id).header("cache-control", "no-store");
  if (failure.status === 401) reply.header("www-authenticate", "Bearer");
  if (failure.retryAfter !== undefined) reply.header("retry-after", String(failure.retryAfter));
  // A body that was refused unread would be taken for the next request on this connection.
  if (failure.status === 413 || failure.status === 415) reply.header("connection", "close");
  return reply
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify(failure.toBody(request.id)));
}

/** Registers the answers for everything that fails outside a procedure. */
export function failureAnswers(app: FastifyInstance): void {
  app.setErrorHandler(answerFailure);
  app.setNotFoundHandler((request, reply) =>
    answerFailure(new HubError("not_found"), request, reply),
  );
}

/** What is not HTTP at all: there is no request yet, only a socket. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = parserFailures[error.code ?? ""] ?? "bad_request";
  const requestId = crypto.randomUUID();
  const body = JSON.stringify(new HubError(code).toBody(requestId));
  socket.end(
    [
      `HTTP/1.1 ${failureStatus(code)} ${STATUS_CODES[failureStatus(code)]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
