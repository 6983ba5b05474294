import type { IncomingMessage } from "node:http";
import { fastifyRequestHandler } from "@trpc/server/adapters/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addressBlock } from "../caller/guest-id.ts";
import type { Hub, RequestContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { appRouter } from "../router.ts";
import { checkCall } from "../trpc/check-call.ts";
import { bodyLimitOf } from "../trpc/procedure-meta.ts";
import { proceduresOf } from "../trpc/procedures.ts";
import { toHubError } from "../trpc/to-hub-error.ts";
import { challengeOf, logUnforeseen } from "./http/error-responses.ts";
import { decodeJson } from "./http/json-body.ts";
import { rejectOtherMethods } from "./http/method-not-allowed.ts";
import type { BodyReader } from "./http/read-body.ts";
import { httpRequestContext } from "./http/request-context.ts";
import type { StreamLimit } from "./stream-limit.ts";

/** Limit of calls in one HTTP request (decisions §6, Sockets: batches of 64). */
const MAX_BATCH = 64;
/** Name of the request decorator that holds the {@link TrpcRequest}. */
const CHECKED = "hubTrpcRequest";

interface TrpcOptions {
  hub: Hub;
  bodies: BodyReader;
  limitStreams: StreamLimit;
}

/** The result of the checks that run before the body of a request is read. */
interface TrpcRequest {
  ctx: RequestContext;
  /** The results of the checks per call, see {@link RequestContext.refusals}. */
  refusals: (HubError | null | undefined)[];
  /** The largest body limit of the calls that passed the checks. Null if no call passed. */
  maxBodyBytes: number | null;
}

type Request = FastifyRequest<{ Params: { path: string } }>;

/** /trpc over HTTP: queries, mutations, and subscriptions over SSE. */
export function trpcHttpTransport(
  app: FastifyInstance,
  { hub, bodies, limitStreams }: TrpcOptions,
  done: () => void,
): void {
  const procedures = proceduresOf(appRouter);
  /**
   * Open SSE subscriptions. A hub that shuts down ends them with 503. Each client then reconnects
   * with the id of its last event.
   */
  const streams = new Set<AbortController>();
  hub.connectionDrain.add({
    members: () => streams,
    ask: (leaving) => leaving.abort(new HubError("shutting_down")),
  });
  app.decorateRequest(CHECKED);
  app.removeAllContentTypeParsers();
  // The body is read as text, because tRPC parses it.
  const readText = async (request: FastifyRequest, payload: IncomingMessage) => {
    const { maxBodyBytes, refusals } = request.getDecorator<TrpcRequest>(CHECKED);
    const address = addressBlock(request.ip);
    const body = await bodies.read(payload, { maxBytes: maxBodyBytes ?? 0, address });
    try {
      return decodeJson(body);
    } catch (error) {
      // A call that was refused before the body was read keeps its own error (decisions §1, Order
      // of checks).
      const failure = toHubError(error);
      for (const index of refusals.keys()) refusals[index] ??= failure;
      return "";
    }
  };
  app.addContentTypeParser("application/json", readText);

  /**
   * Checks every call of a request. Errors are kept per call, because a batch has one result per
   * call.
   */
  async function check(request: Request, reply: FastifyReply): Promise<TrpcRequest> {
    const ctx = httpRequestContext(hub, "trpc", request, reply);
    const { batch } = request.query as { batch?: unknown };
    const names = batch === "1" ? request.params.path.split(",") : [request.params.path];
    const refusals = Array<HubError | null | undefined>(names.length);
    const checked: TrpcRequest = { ctx, refusals, maxBodyBytes: null };
    // tRPC itself refuses an oversized batch.
    if (names.length > MAX_BATCH) return checked;
    for (const [index, name] of names.entries()) {
      const procedure = procedures.get(name);
      // tRPC itself answers an unknown procedure with 404 and a wrong method with 405.
      const isMutation = procedure?.type === "mutation";
      if (!procedure || isMutation !== (request.method === "POST")) continue;
      try {
        // A response to HEAD has no body, so it cannot carry the events of a subscription.
        if (request.method === "HEAD" && procedure.type === "subscription") {
          throw new HubError("method_not_allowed");
        }
        await checkCall(ctx, procedure);
        refusals[index] = null;
        const limit = bodyLimitOf(procedure.meta);
        checked.maxBodyBytes = Math.max(checked.maxBodyBytes ?? 0, limit);
      } catch (error) {
        refusals[index] = toHubError(error);
      }
    }
    return checked;
  }

  async function answer(request: Request, reply: FastifyReply): Promise<void> {
    // The client may disconnect during the checks. No later `close` event would then abort the call
    // or release its stream.
    if (reply.raw.destroyed) return;
    const { ctx, refusals } = request.getDecorator<TrpcRequest>(CHECKED);
    const leaving = new AbortController();
    const { method } = request;
    const isStream = procedures.get(request.params.path)?.type === "subscription";
    if (isStream && method === "GET") {
      // The response to a pipelined request has no socket until earlier responses are sent. Until
      // then, a disconnect of the client goes unnoticed.
      if (!reply.raw.socket) {
        throw new HubError("bad_request", {
          message:
            "A subscription needs a connection of its own. Do not send it behind another request.",
        });
      }
      // The stream limit is checked before tRPC runs. If tRPC caught the limit's error, it would
      // respond with 200 and send the error as an event.
      reply.raw.once("close", limitStreams(request.ip));
      streams.add(leaving);
      reply.raw.once("close", () => streams.delete(leaving));
    }
    // tRPC would answer HEAD with an empty 204, so tRPC gets a GET. Node omits the body of a
    // response to HEAD by itself.
    if (method === "HEAD") request.raw.method = "GET";
    await fastifyRequestHandler({
      router: appRouter,
      req: request,
      res: reply,
      path: request.params.path,
      maxBatchSize: MAX_BATCH,
      createContext: () => ({ ...ctx, refusals, leaving: leaving.signal }),
      onError: ({ error }) => logUnforeseen(hub.log, error),
      responseMeta: ({ errors, data }) => {
        const [error] = errors;
        if (!error || data.length > 1) return {};
        const failure = toHubError(error);
        const { status, retryAfter } = failure;
        const challenge = challengeOf(failure);
        return {
          status,
          headers: {
            // Status 405: the request is a query over POST, or a mutation over GET.
            ...(status === 405 ? { allow: request.method === "POST" ? "GET, HEAD" : "POST" } : {}),
            ...(challenge ? { "www-authenticate": challenge } : {}),
            ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
          },
        };
      },
    });
    request.raw.method = method;
  }

  app.route<{ Params: { path: string } }>({
    method: ["GET", "HEAD", "POST"],
    // The HEAD routes that Fastify itself adds cannot send a `Response` object.
    exposeHeadRoute: false,
    url: "/:path",
    onRequest: async (request, reply) => {
      reply.header("cache-control", "no-store");
      const checked = await check(request, reply);
      request.setDecorator<TrpcRequest>(CHECKED, checked);
      const hasBody = request.method === "POST";
      if (!hasBody || checked.maxBodyBytes !== null) return;
      // Every call of the request is refused, so the response is sent without reading the body.
      request.body = "";
      reply.header("connection", "close");
      await answer(request, reply);
      return reply;
    },
    handler: answer,
  });
  rejectOtherMethods(app, "/:path", new Set(["GET", "HEAD", "POST"]));
  done();
}
