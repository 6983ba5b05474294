import { fastifyRequestHandler } from "@trpc/server/adapters/fastify";
import type { FastifyInstance } from "fastify";
import type { Hub } from "../context.ts";
import { HubError } from "../errors.ts";
import { appRouter } from "../router.ts";
import { toHubError } from "../trpc.ts";
import { httpContext } from "./door-context.ts";
import { logUnforeseen } from "./failure-answers.ts";
import { otherMethods } from "./other-methods.ts";

/** Calls in one request (decisions §6, Sockets: batches of 64). */
const MAX_BATCH = 64;
/** An image as base64 and the rest of a chat call; the procedures' own limits are tighter. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** /trpc over HTTP: queries, mutations, and subscriptions as SSE where WebSockets are blocked. */
export function trpcDoor(app: FastifyInstance, { hub }: { hub: Hub }, done: () => void): void {
  // tRPC parses bodies itself.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, parsed) =>
    parsed(null, body),
  );
  /** Subscriptions over SSE. A client that is told 503 comes back by itself, with the last event's id. */
  const streams = new Set<AbortController>();
  hub.handOver.add({
    members: () => streams,
    ask: (leaving) => leaving.abort(new HubError("shutting_down")),
  });
  app.route<{ Params: { path: string } }>({
    method: ["GET", "POST"],
    url: "/:path",
    bodyLimit: MAX_BODY_BYTES,
    handler: async (req, res) => {
      res.header("cache-control", "no-store");
      const leaving = new AbortController();
      if (req.headers.accept === "text/event-stream") {
        streams.add(leaving);
        res.raw.once("close", () => streams.delete(leaving));
      }
      await fastifyRequestHandler({
        router: appRouter,
        req,
        res,
        path: req.params.path,
        maxBatchSize: MAX_BATCH,
        createContext: () => ({
          ...httpContext(hub, "trpc", req, res),
          leaving: leaving.signal,
        }),
        onError: ({ error }) => logUnforeseen(hub.log, error),
        responseMeta: ({ errors, data }) => {
          const [error] = errors;
          if (!error || data.length > 1) return {};
          const { status, retryAfter } = toHubError(error);
          return {
            status,
            headers: {
              // A query that was posted, or a mutation that was not.
              ...(status === 405 ? { allow: req.method === "POST" ? "GET, HEAD" : "POST" } : {}),
              ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
              ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
            },
          };
        },
      });
    },
  });
  otherMethods(app, "/:path", new Set(["GET", "HEAD", "POST"]));
  done();
}
