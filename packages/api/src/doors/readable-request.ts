import type { IncomingMessage, Server, ServerOptions } from "node:http";
import { HubError } from "../errors.ts";

/** What Node's server would answer itself, empty or not at all, is answered by the hub instead. */
export const requestOptions = {
  // Missing it is refused below, with a body.
  requireHostHeader: false,
  // Node hands every Upgrade over, but HTTP clients that would like HTTP/2 (h2c) want an answer.
  shouldUpgradeCallback: ({ method, headers }: IncomingMessage) =>
    method === "GET" && headers.upgrade?.toLowerCase() === "websocket",
} satisfies ServerOptions;

/** Node would answer 417 with nothing in it; the request goes the way of all others instead. */
export function answerExpectations(server: Server): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/** Refuses a request without a Host, or that expects what nobody here knows (decisions §1). */
export function assertReadableRequest({ headers, httpVersion }: IncomingMessage): void {
  const { host, expect } = headers;
  if (host === undefined && httpVersion !== "1.0") {
    throw new HubError("bad_request", { message: "The Host header is missing." });
  }
  if (expect !== undefined && !/^100-continue$/i.test(expect)) {
    throw new HubError("bad_request", { message: "The Expect header asks for something unknown." });
  }
}
