import type { IncomingMessage, Server, ServerOptions } from "node:http";
import { HubError } from "../../errors.ts";
import { sendRawError } from "./raw-error.ts";

const METHODS = "DELETE, GET, HEAD, OPTIONS, POST, PUT";
const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Options that turn off some of Node's own handling of requests, so that the hub answers them. */
export const requestOptions = {
  // Node would answer a request without Host with no body. assertValidRequest refuses it with an
  // error body.
  requireHostHeader: false,
  // HTTP clients may offer an upgrade to HTTP/2 (h2c). The hub ignores the offer and answers their
  // requests as usual.
  shouldUpgradeCallback: ({ method, headers }: IncomingMessage) =>
    method === "GET" && headers.upgrade?.toLowerCase() === "websocket",
} satisfies ServerOptions;

/**
 * Answers requests with an unknown Expect header, and CONNECT requests. Node emits a separate event
 * for each of these two kinds.
 */
export function handleSpecialRequests(server: Server, baseUrl: () => string): void {
  // Without a listener, Node answers an unknown Expect header with 417 and no body.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  // Without a listener, Node closes the connection of a CONNECT request.
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy());
    const failure = new HubError("method_not_allowed");
    sendRawError(socket, failure, { baseUrl: baseUrl(), headers: [`Allow: ${METHODS}`] });
  });
}

/**
 * Checks the Host and Expect headers (RFC 9112 §3.2, RFC 9110 §10.1.1).
 * @throws HubError `bad_request`; for a foreign host `misdirected_request`, and `csrf_rejected` at
 *   /mcp, as that protocol demands of a page that rebinds its name
 */
export function assertValidRequest(
  { headers, httpVersion, rawHeaders, url = "" }: IncomingMessage,
  baseUrl: string,
): void {
  const { host, expect } = headers;
  if (host === undefined) {
    if (httpVersion === "1.0") return;
    throw new HubError("bad_request", { message: "The Host header is missing." });
  }
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) {
    throw new HubError("bad_request", { message: "The Host header is there twice." });
  }
  if (expect !== undefined && !/^100-continue$/i.test(expect)) {
    throw new HubError("bad_request", { message: "The Expect header asks for something unknown." });
  }
  const code = /^\/mcp(?:\?|$)/.test(url) ? "csrf_rejected" : "misdirected_request";
  assertOwnHost(host, new URL(baseUrl).hostname, code);
}

/**
 * A hub on loopback answers only to loopback names. Otherwise a website could reach the hub through
 * the browser of a user on that computer. The website's domain would have to resolve to 127.0.0.1
 * (DNS rebinding).
 */
function assertOwnHost(
  host: string,
  ownName: string,
  code: "csrf_rejected" | "misdirected_request",
): void {
  if (!LOOPBACK_NAME.test(ownName)) return;
  if (LOOPBACK_NAME.test(host.replace(/:\d+$/, "").toLowerCase())) return;
  throw new HubError(code, {
    message: "This hub answers to localhost only. Set BASE_URL to serve it under another name.",
  });
}
