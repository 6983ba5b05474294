import { METHODS } from "node:http";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Hub } from "./context.ts";
import { answerClientError, answerFailure, failureAnswers } from "./doors/failure-answers.ts";
import { framesWillDo } from "./doors/frame-check.ts";
import { healthRoutes } from "./doors/health.ts";
import { jsonBodies } from "./doors/json-body.ts";
import {
  answerExpectations,
  assertReadableRequest,
  requestOptions,
} from "./doors/readable-request.ts";
import { assertReadableUrl } from "./doors/readable-url.ts";
import { socketDoor } from "./doors/socket-door.ts";
import { trpcDoor } from "./doors/trpc-door.ts";
import { HubError } from "./errors.ts";
import { allowAnyOrigin, restDoor } from "./rest/rest-door.ts";

export interface AppOptions {
  /** CIDRs of proxies whose X-Forwarded-For is believed; empty: nobody's (decisions §8). */
  trustProxy?: string[];
  /**
   * How WebSockets are served: by the hub itself, with frames made once for all who get them, or by
   * tRPC's own adapter, which asks for each event. The client can't tell (docs/decisions/0017, 0020).
   */
  fanOut?: "frames" | "generators" | undefined;
}

const REQUEST_ID = /^[\w-]{8,64}$/;
/** Long enough for a slow phone to send an image, short enough that nobody parks here. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** What stands on every answer, also on one to an address that Fastify itself can't read. */
function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("x-request-id", request.id);
  reply.header("x-content-type-options", "nosniff");
  if (request.raw.url?.startsWith("/api/")) allowAnyOrigin(reply);
}

/** One Fastify app with every door of a hub. It does not listen. */
export async function createApp(
  hub: Hub,
  { trustProxy = [], fanOut = "frames" }: AppOptions = {},
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
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    // As long as any address: what is too long is refused as an address, like everything else.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    frameworkErrors: (error, request, reply) => {
      markAnswer(request, reply);
      answerFailure(error, request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  for (const method of METHODS) {
    const known = app.supportedMethods.includes(method) || method === "CONNECT";
    if (!known) app.addHttpMethod(method, { hasBody: true });
  }
  answerExpectations(app.server);
  jsonBodies(app);
  failureAnswers(app);
  app.addHook("onRequest", async (request, reply) => {
    markAnswer(request, reply);
    assertReadableRequest(request.raw);
    assertReadableUrl(request.raw.url ?? "");
    if (hub.stopping.aborted) throw new HubError("shutting_down");
  });
  app.addHook("onResponse", async (request, reply) => {
    // The route's pattern, not the address: a query may hold a session_token, the key to a room.
    const answered = {
      method: request.method,
      route: request.routeOptions.url ?? "none",
      status: reply.statusCode,
    };
    hub.metrics.requests.observe(answered, reply.elapsedTime / 1_000);
    request.log.info({ ...answered, ms: Math.round(reply.elapsedTime * 10) / 10 }, "answered");
  });
  healthRoutes(app, hub);
  await app.register(restDoor, { prefix: "/api", hub });
  await app.register(trpcDoor, { prefix: "/trpc", hub });
  const takesFrames = fanOut === "frames" && (await framesWillDo(hub.log));
  socketDoor(app, hub, { trustProxy, takesFrames });
  return app;
}
