import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../accounts/caller.ts";
import type { DoorContext, Hub, StillStands } from "../context.ts";
import { httpContext } from "../doors/door-context.ts";
import { otherMethods } from "../doors/other-methods.ts";
import { HubError } from "../errors.ts";
import type { RateRule } from "../rate-limits.ts";
import { andThen } from "../soon.ts";
import { admit, rateRuleOf } from "../trpc.ts";
import { JSON_TYPE, sendTagged } from "./entity-tag.ts";
import { streamAnswer, wantsEventStream } from "./event-stream.ts";
import { onceOnly, readIdempotencyKey } from "./idempotency.ts";
import { openApiDocument } from "./openapi.ts";
import { queryReader } from "./query-values.ts";
import { type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";
import { StandingAnswers } from "./standing-answers.ts";

const EXPOSED_HEADERS =
  "X-Request-Id, Retry-After, ETag, Allow, WWW-Authenticate, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset";
const DEFAULT_BODY_BYTES = 64 * 1024;
/** On the request itself: under load V8 keeps what a WeakMap holds for long after the request. */
const CALL = "hubCall";

/** What is known of a call before its body is read. */
interface RestCall {
  ctx: DoorContext;
  caller: Caller;
  /** The answer is the same for everybody who shows no credential: it carries an ETag. */
  isShared: boolean;
}

/**
 * Any page may call with a key, and no page with a cookie (decisions §3). Set before anything can
 * fail: a page could not read a failure without it.
 */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.header("access-control-allow-origin", "*");
  reply.header("access-control-expose-headers", EXPOSED_HEADERS);
}

/** Below /api: one real Fastify route per endpoint, and 405 or 204 for the other methods of its path. */
export function restDoor(app: FastifyInstance, { hub }: { hub: Hub }, done: () => void): void {
  app.decorateRequest(CALL);
  const methodsByUrl = new Map<string, Set<string>>();
  for (const endpoint of restEndpoints()) {
    const url = endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    const methods = methodsByUrl.get(url) ?? new Set();
    methodsByUrl.set(url, methods.add(endpoint.method));
    if (endpoint.method === "GET") methods.add("HEAD");
    addEndpoint(app, hub, endpoint, url);
  }
  const document = openApiDocument(hub.config.version);
  const text = Buffer.from(JSON.stringify(document));
  app.get("/openapi.json", {
    onRequest: beginCall(hub, { rung: "open", shared: true }, "read"),
    handler: (request, reply) => {
      const { isShared } = request.getDecorator<RestCall>(CALL);
      if (isShared) return sendTagged(request, reply, text);
      return reply.header("content-type", JSON_TYPE).send(text);
    },
  });
  methodsByUrl.set("/openapi.json", new Set(["GET", "HEAD"]));
  for (const [url, methods] of methodsByUrl) otherMethods(app, url, methods);
  done();
}

/** Before the body is read: who may not call learns nothing about what a body should hold. */
const beginCall =
  (hub: Hub, { rung, shared }: Pick<RestEndpoint, "rung" | "shared">, rateRule: RateRule) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> | void => {
    const ctx = httpContext(hub, "rest", request, reply);
    const begin = (caller: Caller) => {
      admit(caller, rung, "rest");
      const isShared = shared === true && caller.kind === "guest";
      request.setDecorator<RestCall>(CALL, { ctx, caller, isShared });
      reply.header("cache-control", isShared ? "no-cache" : "no-store");
    };
    const wait = async () => {
      const caller = await ctx.identify();
      await ctx.limit(caller, rateRule);
      begin(caller);
    };
    const caller = ctx.identify();
    if (caller instanceof Promise || hub.rateLimits) return wait();
    // A guest whom nobody counts: nothing is waited for.
    begin(caller);
    return done();
  };

function addEndpoint(app: FastifyInstance, hub: Hub, endpoint: RestEndpoint, url: string): void {
  const rateRule = rateRuleOf(endpoint, endpoint.method === "GET" ? "query" : "mutation");
  const readQuery = queryReader(endpoint.input);
  const hasBody = endpoint.method === "POST" || endpoint.method === "PUT";
  const standing = endpoint.mayStand ? new StandingAnswers() : undefined;

  app.route({
    method: endpoint.method,
    url,
    bodyLimit: endpoint.maxBodyBytes ?? DEFAULT_BODY_BYTES,
    onRequest: beginCall(hub, endpoint, rateRule),
    handler: (request, reply) => {
      const { caller } = request.getDecorator<RestCall>(CALL);
      return andThen(standing?.again(caller, addressOf(request)), (body) =>
        body === undefined ? makeAnswer(request, reply) : sendJson(reply, body),
      );
    },
  });

  async function makeAnswer(request: FastifyRequest, reply: FastifyReply) {
    const { ctx, caller, isShared } = request.getDecorator<RestCall>(CALL);
    let stands: StillStands | undefined;
    if (standing) {
      ctx.standsWhile = (given) => {
        stands = given;
      };
    }
    const params = readQuery(request.params as object);
    const inAddress = readQuery(request.query as object);
    const given = hasBody
      ? request.body === undefined
        ? {}
        : request.body
      : // What to delete is named in the address or, as some clients do, in a body.
        isObject(request.body)
        ? { ...inAddress, ...request.body }
        : inAddress;
    const input = isObject(given) ? { ...given, ...params } : given;
    // A read is over before it could be broken off; the signal would cost more than many a read.
    const leaves = endpoint.method === "GET" ? undefined : callerLeaves(reply);
    const key = endpoint.idempotent
      ? readIdempotencyKey(request.headers["idempotency-key"])
      : undefined;
    const call = (onDelta?: DoorContext["onDelta"]) => {
      const run = () => endpoint.call(onDelta ? { ...ctx, onDelta } : ctx, input, leaves);
      return key === undefined ? run() : onceOnly(ctx, { endpoint, key, body: input }, run);
    };
    if (endpoint.streams && wantsEventStream(request)) return streamAnswer(request, reply, call);
    const body = JSON.stringify({ success: true, ...(await call()) });
    // Encoded once, for the tag, the length and the socket.
    if (isShared) return sendTagged(request, reply, Buffer.from(body));
    if (stands) standing?.keep(caller, addressOf(request), { body, stands });
    return sendJson(reply, body);
  }
}

const addressOf = ({ raw }: FastifyRequest): string => raw.url ?? "";

/** As text, which Node writes together with the head. */
function sendJson(reply: FastifyReply, body: string): void {
  reply.header("content-type", JSON_TYPE).send(body);
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
