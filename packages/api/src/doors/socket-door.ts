import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import proxyAddress, { compile } from "@fastify/proxy-addr";
import { getWSConnectionHandler } from "@trpc/server/adapters/ws";
import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { countedAs } from "../accounts/caller.ts";
import { identify } from "../accounts/credentials.ts";
import { addressBlock, ipHash } from "../accounts/guest-id.ts";
import type { DoorContext, Hub } from "../context.ts";
import { HubError } from "../errors.ts";
import { appRouter } from "../router.ts";
import { isSameOrigin, readCredentials } from "./door-context.ts";
import { logUnforeseen } from "./failure-answers.ts";
import { guardSocket, MAX_FRAME_BYTES } from "./socket-guard.ts";

const SERVICE_RESTART = 1012;
/** Decisions §6, Sockets. Not below the subscriptions of a socket: a client re-sends them at once. */
const MAX_BATCH = 64;

/** /trpc upgraded to a WebSocket: calls and live rooms (decisions §6). */
export function socketDoor(app: FastifyInstance, hub: Hub, trustProxy: string[]): void {
  const trust = compile(trustProxy);
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    // A compressor per socket costs 200 KB for frames that are small anyway.
    perMessageDeflate: false,
  });
  const handle = getWSConnectionHandler({
    wss,
    router: appRouter,
    maxBatchSize: MAX_BATCH,
    onError: ({ error }) => logUnforeseen(hub.log, error),
    createContext: ({ req, info }) =>
      socketContext(hub, req, proxyAddress(req, trust), info.connectionParams ?? {}),
  });

  app.server.on("upgrade", (request, socket, head) => {
    // Node leaves the socket to us: without a listener a reset would end the process.
    socket.on("error", () => socket.destroy());
    const failure = refusal(hub, request);
    if (failure) return refuse(socket, failure);
    wss.handleUpgrade(request, socket, head, (client: WebSocket) => {
      guardSocket(client);
      hub.metrics.openSockets.inc();
      client.on("close", () => hub.metrics.openSockets.dec());
      handle(client, request);
    });
  });
  app.addHook("preClose", async () => {
    // Replies and subscriptions end first, those over SSE as well: each is a request that would
    // not end by itself, and what they have to say needs its socket.
    await hub.drain();
    for (const client of wss.clients) client.close(SERVICE_RESTART);
    wss.close();
  });
}

/** Decided before the upgrade, with a status: a client that is let in and thrown out comes back at once. */
function refusal(hub: Hub, request: IncomingMessage): HubError | null {
  const { url = "/", headers } = request;
  // Not parsed as a URL: an address like `//` is none, and nobody would catch that here.
  if (url.split("?", 1)[0] !== "/trpc") return new HubError("not_found");
  // tRPC puts the two together, and would throw where nobody catches it either.
  if (!URL.canParse(url, `http://${headers.host ?? "hub"}`)) return new HubError("bad_request");
  const { sessionToken, guestCookie } = readCredentials(hub, { headers, ip: "" });
  const carriesCookie = sessionToken !== undefined || guestCookie !== undefined;
  return carriesCookie && !isSameOrigin(hub, headers) ? new HubError("csrf_rejected") : null;
}

function refuse(socket: Duplex, failure: HubError): void {
  const body = JSON.stringify(failure.toBody(randomUUID()));
  socket.end(
    `HTTP/1.1 ${failure.status} ${failure.code}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function socketContext(
  hub: Hub,
  request: IncomingMessage,
  ip: string,
  connectionParams: Record<string, unknown>,
): DoorContext {
  const { authorization } = connectionParams;
  const credentials = {
    ...readCredentials(hub, { headers: request.headers, ip }),
    ...(typeof authorization === "string" ? { authorization } : {}),
  };
  const addressHash = () => ipHash(hub.vault, addressBlock(ip));
  return {
    hub,
    door: "socket",
    requestId: randomUUID(),
    connection: { subscriptions: 0 },
    log: hub.log,
    // The context lives as long as the socket; keys, passes and sessions may not.
    identify: () => identify({ ...hub, adminToken: hub.config.adminToken }, credentials),
    // The Origin was checked at the upgrade.
    sameOrigin: true,
    ipHash: addressHash,
    limit: async (caller, rule) => {
      await hub.rateLimits(rule, countedAs(caller, addressHash));
    },
    setCookie: () => undefined,
  };
}
