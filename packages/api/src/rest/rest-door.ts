import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DoorContext, Hub } from "../context.ts";
import { httpContext } from "../doors/door-context.ts";
import { HubError } from "../errors.ts";
import { admit } from "../trpc.ts";
import { streamAnswer, wantsEventStream } from "./event-stream.ts";
import { queryReader } from "./query-values.ts";
import { type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

const DEFAULT_BODY_BYTES = 64 * 1024;

/** Below /api: one real Fastify route per endpoint, and 405 or 204 for the other methods of its path. */
export function restDoor(app: FastifyInstance, { hub }: { hub: Hub }, done: () => void): void {
  const methodsByUrl = new Map<string, Set<string>>();
  for (const endpoint of restEndpoints()) {
    const url = endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    const methods = methodsByUrl.get(url) ?? new Set();
    methodsByUrl.set(url, methods.add(endpoint.method));
    if (endpoint.method === "GET") methods.add("HEAD");
    addEndpoint(app, hub, endpoint, url);
  }
  for (const [url, methods] of methodsByUrl) addOtherMethods(app, url, methods);
  done();
}

function addEndpoint(app: FastifyInstance, hub: Hub, endpoint: RestEndpoint, url: string): void {
  const readQuery = queryReader(endpoint.input);
  const hasBody = endpoint.method === "POST" || endpoint.method === "PUT";
  const contexts = new WeakMap<FastifyRequest, DoorContext>();

  app.route({
    method: endpoint.method,
    url,
    bodyLimit: endpoint.maxBodyBytes ?? DEFAULT_BODY_BYTES,
    // Before the body is read: who may not call learns nothing about what a body should hold.
    onRequest: async (request, reply) => {
      const ctx = httpContext(hub, "rest", request, reply);
      contexts.set(request, ctx);
      const caller = await ctx.identify();
      admit(caller, endpoint.rung, "rest");
      reply.header("access-control-allow-origin", "*");
      reply.header("access-control-expose-headers", "X-Request-Id, Retry-After");
      if (caller.kind !== "guest" || hasBody) reply.header("cache-control", "no-store");
    },
    handler: async (request, reply) => {
      const ctx = contexts.get(request);
      if (!ctx) throw new HubError("internal");
      const params = readQuery(request.params as object);
      const given = hasBody
        ? request.body === undefined
          ? {}
          : request.body
        : readQuery(request.query as object);
      const input = isObject(given) ? { ...given, ...params } : given;
      const leaves = callerLeaves(reply);
      if (endpoint.streams && wantsEventStream(request)) {
        return streamAnswer(request, reply, (onDelta) =>
          endpoint.call({ ...ctx, onDelta }, input, leaves),
        );
      }
      const answer = await endpoint.call(ctx, input, leaves);
      return sendJson(reply, { success: true, ...answer });
    },
  });
}

/** Aborts when the connection closes before the answer is out. (Fastify's own `request.signal` aborts once the body is read.) */
function callerLeaves(reply: FastifyReply): AbortSignal {
  const leaves = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) leaves.abort(new HubError("cancelled"));
  });
  return leaves.signal;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const sendJson = (reply: FastifyReply, answer: object) =>
  reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(answer));

function addOtherMethods(app: FastifyInstance, url: string, methods: Set<string>): void {
  const allow = [...methods, "OPTIONS"].sort().join(", ");
  app.route({
    method: app.supportedMethods.filter((method) => !methods.has(method)),
    url,
    onRequest: async (request, reply) => {
      reply.header("allow", allow).header("access-control-allow-origin", "*");
      if (request.method !== "OPTIONS") throw new HubError("method_not_allowed");
      // Answers a browser's preflight as well: keys may be sent from any page, cookies may not.
      reply
        .header("access-control-allow-methods", allow)
        .header(
          "access-control-allow-headers",
          "authorization, content-type, idempotency-key, x-request-id",
        )
        .header("access-control-max-age", "86400")
        .code(204);
      return reply.send();
    },
    handler: () => undefined,
  });
}
