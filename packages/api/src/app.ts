import { METHODS } from "node:http";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Hub } from "./context.ts";
import { HubError } from "./errors.ts";
import { limitConnections } from "./transport/http/connection-limits.ts";
import {
  handleClientError,
  registerErrorResponses,
  sendErrorResponse,
} from "./transport/http/error-responses.ts";
import { registerHealthRoutes } from "./transport/http/health.ts";
import { observeCalls } from "./transport/http/http-calls.ts";
import { registerJsonParser } from "./transport/http/json-body.ts";
import { rejectRareMethods } from "./transport/http/method-not-allowed.ts";
import { registerMetricsRoute } from "./transport/http/metrics-route.ts";
import { BodyReader } from "./transport/http/read-body.ts";
import { strictTransport } from "./transport/http/strict-transport.ts";
import {
  assertValidRequest,
  handleSpecialRequests,
  requestOptions,
} from "./transport/http/validate-request.ts";
import { assertValidUrl } from "./transport/http/validate-url.ts";
import { mcpTransport } from "./transport/mcp/mcp-transport.ts";
import { allowAnyOrigin, restTransport } from "./transport/rest/rest-transport.ts";
import { createStreamLimit } from "./transport/stream-limit.ts";
import { trpcHttpTransport } from "./transport/trpc-http.ts";
import { sendV1Error } from "./transport/v1/v1-errors.ts";
import { v1Transport } from "./transport/v1/v1-transport.ts";
import { wsTransport } from "./transport/ws/ws-server.ts";

export interface AppOptions {
  /** CIDRs of the proxies whose X-Forwarded-For is trusted (decisions §8). Default: none. */
  trustProxy?: string[];
  /** Limit of open connections, those of WebSockets included. Default 10,000. */
  maxConnections?: number;
  /** False if a port of their own serves the metrics (0071). */
  servesMetrics?: boolean;
}

const REQUEST_ID = /^[\w-]{8,64}$/;
/** The time limit of a whole request. A slow mobile connection can send an image within it. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** How often Node looks for timed-out requests. The default is every 30 s. */
const TIMEOUT_CHECK_MS = 1_000;
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 10_000;

/** Creates the Fastify app with all transports of a hub. It does not listen yet. */
export async function createApp(
  hub: Hub,
  { trustProxy = [], maxConnections = MAX_CONNECTIONS, servesMetrics = true }: AppOptions = {},
): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = hub.log;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers["x-request-id"];
      return typeof given === "string" && REQUEST_ID.test(given) ? given : crypto.randomUUID();
    },
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      ...requestOptions,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    // A path parameter may be as long as any URL, since assertValidUrl refuses long URLs.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      const send = request.raw.url?.startsWith("/v1/") ? sendV1Error : sendErrorResponse;
      send(error, request, reply);
    },
    clientErrorHandler: (error, socket) => handleClientError(error, socket, hub.config.baseUrl),
  });
  for (const method of METHODS) {
    const known = app.supportedMethods.includes(method) || method === "CONNECT";
    if (!known) app.addHttpMethod(method, { hasBody: true });
  }
  const limitsAddresses = hub.config.rateLimits;
  limitConnections(app.server, {
    max: maxConnections,
    limitsAddresses,
    trustProxy,
    refused: hub.metrics.refusedConnections,
  });
  handleSpecialRequests(app.server, () => hub.config.baseUrl);
  const bodies = new BodyReader(limitsAddresses);
  registerJsonParser(app, bodies);
  registerErrorResponses(app);

  /** Sets the headers of every response, also where Fastify cannot parse the request's URL. */
  function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
    reply
      .header("x-request-id", request.id)
      .header("x-content-type-options", "nosniff")
      .headers(strictTransport(hub.config.baseUrl));
    if (/^\/(?:api|v1)\//.test(request.raw.url ?? "")) allowAnyOrigin(reply);
  }

  observeCalls(app, hub, trustProxy);
  app.addHook("onRequest", async (request, reply) => {
    setCommonHeaders(request, reply);
    assertValidRequest(request.raw, hub.config.baseUrl);
    assertValidUrl(request.raw.url ?? "");
    // The readiness check answers in its own words.
    const isProbe = request.routeOptions.url === "/readyz";
    if (hub.stopping.aborted && !isProbe) throw new HubError("shutting_down");
  });
  rejectRareMethods(app, MAX_HEADER_BYTES);
  registerHealthRoutes(app, hub);
  if (servesMetrics) registerMetricsRoute(app, hub);
  await app.register(restTransport, { prefix: "/api", hub, bodies });
  await app.register(v1Transport, { prefix: "/v1", hub });
  await app.register(mcpTransport, { hub });
  const limitStreams = createStreamLimit(hub.rateLimits !== null);
  await app.register(trpcHttpTransport, { prefix: "/trpc", hub, bodies, limitStreams });
  wsTransport(app, hub, { trustProxy, limitStreams });
  return app;
}
