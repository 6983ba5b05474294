import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import proxyAddress, { compile } from "@fastify/proxy-addr";
import type { TRPCError } from "@trpc/server";
import { getWSConnectionHandler } from "@trpc/server/adapters/ws";
import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { countedAs } from "../accounts/caller.ts";
import { type Credentials, identify, readBearer } from "../accounts/credentials.ts";
import { addressBlock, ipHash } from "../accounts/guest-id.ts";
import type { DoorContext, Hub } from "../context.ts";
import { HubError } from "../errors.ts";
import { appRouter } from "../router.ts";
import { isSameOrigin, readCredentials } from "./door-context.ts";
import { logUnforeseen } from "./failure-answers.ts";
import { HubSocket } from "./hub-socket.ts";
import { rpcHandler } from "./rpc/rpc-handler.ts";
import { MAX_FRAME_BYTES, watchSockets } from "./socket-guard.ts";

const SERVICE_RESTART = 1012;
/** Decisions §6, Sockets. Not below the subscriptions of a socket: a client re-sends them at once. */
const MAX_BATCH = 64;
/** Several people behind one address, each with several tabs. Counted while RATE_LIMITS is on. */
const MAX_SOCKETS_PER_ADDRESS = 64;
const RETRY_SECONDS = 10;
const CLOSING_MS = 1_000;
/** tRPC's own word: the client opens another socket, and keeps this one until that serves it. */
const RECONNECT = JSON.stringify({ id: null, method: "reconnect" });

export interface SocketDoorOptions {
  trustProxy: string[];
  /** The protocol is served by the hub itself, or by tRPC's own adapter (docs/decisions/0020). */
  takesFrames: boolean;
}

/** /trpc upgraded to a WebSocket: calls and live rooms (decisions §6). */
export function socketDoor(
  app: FastifyInstance,
  hub: Hub,
  { trustProxy, takesFrames }: SocketDoorOptions,
): void {
  const trust = compile(trustProxy);
  const watch = watchSockets();
  const wss = new WebSocketServer({
    noServer: true,
    WebSocket: HubSocket,
    maxPayload: MAX_FRAME_BYTES,
    // A compressor per socket costs 200 KB for frames that are small anyway.
    perMessageDeflate: false,
  });
  const onError = ({ error }: { error: TRPCError }) => logUnforeseen(hub.log, error);
  const shared = { router: appRouter, maxBatchSize: MAX_BATCH, onError };
  const serve = takesFrames
    ? rpcHandler({
        ...shared,
        createContext: (client: HubSocket, params) => socketContext(hub, client, params),
      })
    : getWSConnectionHandler({
        ...shared,
        wss,
        createContext: ({ res, info }) =>
          socketContext(hub, res as HubSocket, info.connectionParams ?? {}),
      });

  hub.metrics.sockets.unsentBytes = () => {
    let bytes = 0;
    for (const { unsent } of wss.clients) bytes += unsent;
    return bytes;
  };

  /** How many are open per address, one household wide. */
  const socketsOf = new Map<string, number>();
  // What ws itself finds wrong with a handshake it would refuse in words of its own.
  wss.on("wsClientError", (_error, socket) => refuse(socket, new HubError("bad_request")));

  app.server.on("upgrade", (request, socket, head) => {
    // Node leaves the socket to us: without a listener a reset would end the process.
    socket.on("error", () => socket.destroy());
    const ip = proxyAddress(request, trust);
    const credentials = readCredentials(hub, { headers: request.headers, ip });
    const failure = hub.stopping.aborted
      ? new HubError("shutting_down")
      : refusal(hub, request, credentials);
    if (failure) return refuse(socket, failure);
    const place = addressBlock(ip);
    const held = socketsOf.get(place) ?? 0;
    if (hub.rateLimits && held >= MAX_SOCKETS_PER_ADDRESS) {
      return refuse(socket, new HubError("rate_limited", { retryAfter: RETRY_SECONDS }));
    }
    wss.handleUpgrade(request, socket, head, (client) => {
      client.line = socket;
      client.place = place;
      client.credentials = credentials;
      watch.add(client);
      hub.metrics.openSockets.inc();
      socketsOf.set(place, held + 1);
      client.on("close", onClose);
      serve(client, questionOf(request));
    });
  });
  function onClose(this: WebSocket): void {
    hub.metrics.openSockets.dec();
    const { place } = this as HubSocket;
    const left = (socketsOf.get(place) ?? 1) - 1;
    if (left > 0) socketsOf.set(place, left);
    else socketsOf.delete(place);
  }
  hub.handOver.add({ members: () => wss.clients, ask: (client) => client.send(RECONNECT) });
  app.addHook("preClose", async () => {
    // Replies and subscriptions end first, those over SSE as well: each is a request that would
    // not end by itself, and what they have to say needs its socket.
    await hub.drain();
    for (const client of wss.clients) client.close(SERVICE_RESTART);
    // Whoever doesn't answer that isn't waited for: the server ends when its last socket does.
    setTimeout(() => {
      for (const client of wss.clients) client.terminate();
    }, CLOSING_MS).unref();
    wss.close();
    watch.stop();
  });
}

/** Decided before the upgrade, with a status: a client that is let in and thrown out comes back at once. */
function refusal(
  hub: Hub,
  { url = "/", headers }: IncomingMessage,
  { authorization, sessionToken, guestCookie }: Credentials,
): HubError | null {
  // Not parsed as a URL: an address like `//` is none, and nobody would catch that here.
  if (url.split("?", 1)[0] !== "/trpc") return new HubError("not_found");
  // tRPC puts the two together, and would throw where nobody catches it either.
  if (!URL.canParse(url, `http://${headers.host ?? "hub"}`)) return new HubError("bad_request");
  if (headers.host === undefined) return new HubError("bad_request");
  if (authorization !== undefined && !readBearer(authorization, hub.config.adminToken)) {
    return new HubError("unauthenticated");
  }
  const carriesCookie = sessionToken !== undefined || guestCookie !== undefined;
  return carriesCookie && !isSameOrigin(hub, headers) ? new HubError("csrf_rejected") : null;
}

function refuse(socket: Duplex, failure: HubError): void {
  const requestId = randomUUID();
  const body = JSON.stringify(failure.toBody(requestId));
  socket.end(
    [
      `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      ...(failure.status === 401 ? ["WWW-Authenticate: Bearer"] : []),
      ...(failure.retryAfter === undefined ? [] : [`Retry-After: ${failure.retryAfter}`]),
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

/**
 * All that tRPC reads of an upgrade: its address, for what the query asks. Not the request itself,
 * since tRPC keeps it for as long as the socket is open.
 */
const questionOf = ({ url }: IncomingMessage): IncomingMessage =>
  ({ url, headers: {} }) as IncomingMessage;

function socketContext(
  hub: Hub,
  socket: HubSocket,
  { authorization }: Record<string, unknown>,
): DoorContext {
  const credentials =
    typeof authorization === "string"
      ? { ...socket.credentials, authorization }
      : socket.credentials;
  const { ip } = credentials;
  return {
    hub,
    door: "socket",
    requestId: randomUUID(),
    connection: socket,
    log: hub.log,
    // The context lives as long as the socket; keys, passes and sessions may not.
    identify: () => identify(hub, credentials),
    // The Origin was checked at the upgrade.
    sameOrigin: true,
    ipHash: () => ipHash(hub.vault, addressBlock(ip)),
    limit: async (caller, rule) => {
      await hub.rateLimits?.(rule, countedAs(caller, ip));
    },
    setCookie: ignore,
  };
}

const ignore = () => undefined;
