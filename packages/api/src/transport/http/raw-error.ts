import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { HubError } from "../../errors.ts";
import { strictTransport } from "./strict-transport.ts";

/** Time limit for the client to receive the error and to close its side of the connection. */
const CLOSING_MS = 1_000;

/** Sends an error on a connection that has no Node response object, and closes the connection. */
export function sendRawError(
  socket: Duplex,
  failure: HubError,
  { baseUrl, headers = [] }: { baseUrl: string; headers?: string[] },
): void {
  const requestId = crypto.randomUUID();
  const body = JSON.stringify(failure.toBody(requestId));
  socket.end(
    [
      `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      ...Object.entries(strictTransport(baseUrl)).map((header) => header.join(": ")),
      ...(failure.status === 401 ? ["WWW-Authenticate: Bearer"] : []),
      ...(failure.retryAfter === undefined ? [] : [`Retry-After: ${failure.retryAfter}`]),
      ...headers,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  // `socket.end` closes the hub's side only. Without the timer a client could hold the connection
  // forever.
  setTimeout(() => socket.destroy(), CLOSING_MS).unref();
}
