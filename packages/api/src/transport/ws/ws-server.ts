import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import proxyAddress, { compile } from "@fastify/proxy-addr";
import type { FastifyInstance } from "fastify";
import { WebSocketServer } from "ws";
import { type Credentials, readBearer } from "../../accounts/credentials.ts";
import { addressBlock } from "../../caller/guest-id.ts";
import type { Hub } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { appRouter } from "../../router.ts";
import { logUnforeseen } from "../http/error-responses.ts";
import { sendRawError } from "../http/raw-error.ts";
import { isSameOrigin, readCredentials } from "../http/request-context.ts";
import { assertValidRequest } from "../http/validate-request.ts";
import type { StreamLimit } from "../stream-limit.ts";
import { rpcHandler } from "./trpc-protocol/rpc-handler.ts";
import { WsConnection } from "./ws-connection.ts";
import { socketContext } from "./ws-context.ts";
import { MAX_FRAME_BYTES, watchSockets } from "./ws-limits.ts";

const SERVICE_RESTART = 1012;
/**
 * Limit of calls in one frame (decisions §6, Sockets). A client resends all its subscriptions in
 * one batch.
 */
export const MAX_BATCH = 64;
const RETRY_SECONDS = 10;
const CLOSING_MS = 1_000;

export interface WsServerOptions {
  trustProxy: string[];
  limitStreams: StreamLimit;
}

/** Serves /trpc over WebSockets: calls and live rooms (decisions §6). */
export function wsTransport(
  app: FastifyInstance,
  hub: Hub,
  { trustProxy, limitStreams }: WsServerOptions,
): void {
  const trust = compile(trustProxy);
  const watch = watchSockets(hub.rateLimits !== null);
  const wss = new WebSocketServer({
    noServer: true,
    WebSocket: WsConnection,
    maxPayload: MAX_FRAME_BYTES,
    // Compression would take 200 KB of memory per socket, although frames are small.
    perMessageDeflate: false,
  });
  const serve = rpcHandler({
    router: appRouter,
    maxBatchSize: MAX_BATCH,
    onError: ({ error }) => logUnforeseen(hub.log, error),
    admitFrame: watch.admitFrame,
    createContext: (client, params) => socketContext(hub, client, params),
  });

  hub.metrics.sockets.unsentBytes = () => {
    let bytes = 0;
    for (const { bufferedAmount } of wss.clients) bytes += bufferedAmount;
    return bytes;
  };

  const refuse = (socket: Duplex, failure: HubError) => sendRawError(socket, failure, hub.config);
  // If `ws` rejects a handshake, the client gets an error body in the hub's format.
  wss.on("wsClientError", (_error, socket) => refuse(socket, new HubError("bad_request")));

  app.server.on("upgrade", (request, socket, head) => {
    // Without an error listener, a connection reset would end the process.
    socket.on("error", () => socket.destroy());
    const ip = proxyAddress(request, trust);
    const block = addressBlock(ip);
    const credentials = readCredentials(hub, { headers: request.headers, ip });
    let release = () => {};
    try {
      if (hub.stopping.aborted) throw new HubError("shutting_down");
      assertUpgradable(hub, request, credentials);
      if (!watch.admits(block)) throw new HubError("rate_limited", { retryAfter: RETRY_SECONDS });
      release = limitStreams(ip);
    } catch (failure) {
      return refuse(socket, failure as HubError);
    }
    socket.once("close", release);
    wss.handleUpgrade(request, socket, head, (client) => {
      client.line = socket;
      client.credentials = credentials;
      watch.add(client, block);
      hub.metrics.openSockets.inc();
      client.once("close", () => hub.metrics.openSockets.dec());
      serve(client, request);
    });
  });
  hub.connectionDrain.add({
    members: () => wss.clients,
    ask: (client) => client.reconnect(),
  });
  app.addHook("preClose", async () => {
    // Replies and subscriptions end before Fastify closes. Otherwise Fastify would wait forever for
    // SSE requests.
    await hub.drain();
    for (const client of wss.clients) client.close(SERVICE_RESTART);
    setTimeout(() => {
      for (const client of wss.clients) client.terminate();
    }, CLOSING_MS).unref();
    wss.close();
    watch.stop();
  });
}

/**
 * Checks an upgrade request. A refused client gets an HTTP status. If its socket were accepted and
 * then closed, the client would reconnect at once.
 * @throws HubError
 */
function assertUpgradable(
  hub: Hub,
  request: IncomingMessage,
  { authorization, sessionToken, guestCookie }: Credentials,
): void {
  const { url = "/", headers } = request;
  // The path is compared as a string, since the request target `//` is not a valid URL.
  if (url.split("?", 1)[0] !== "/trpc") throw new HubError("not_found");
  const { host } = headers;
  if (host === undefined || !URL.canParse(url, `http://${host}`)) {
    throw new HubError("bad_request");
  }
  assertValidRequest(request, hub.config.baseUrl);
  if (authorization !== undefined && !readBearer(authorization, hub.config.adminToken)) {
    throw new HubError("unauthenticated");
  }
  const hasCookie = sessionToken !== undefined || guestCookie !== undefined;
  if (hasCookie && !isSameOrigin(hub, headers)) throw new HubError("csrf_rejected");
}
