import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Hub, OnDelta, RequestContext } from "../../context.ts";
import { createSingleFlight } from "../../db/data-loader.ts";
import type { RateRule } from "../../rate-limits.ts";
import { type AccessMeta, authorize } from "../../trpc/authorize.ts";
import { rateRuleOf } from "../../trpc/call-cost.ts";
import type { FileAnswer } from "../../trpc/file-answer.ts";
import type { RestMeta } from "../../trpc/procedure-meta.ts";
import { toHubError } from "../../trpc/to-hub-error.ts";
import { isJsonObject } from "../../trpc/well-formed.ts";
import { disconnectSignal } from "../http/disconnect-signal.ts";
import { registerFileParser } from "../http/json-body.ts";
import { rejectOtherMethods } from "../http/method-not-allowed.ts";
import type { BodyReader } from "../http/read-body.ts";
import { httpRequestContext } from "../http/request-context.ts";
import { SpooledBodies } from "../http/spooled-bodies.ts";
import { addBackupRoute } from "./backup-route.ts";
import { sendBody, tagOf } from "./entity-tag.ts";
import { acceptsEventStream, streamAnswer } from "./event-stream.ts";
import { readIdempotencyKey, runOnce } from "./idempotency.ts";
import { openApiDocument } from "./openapi.ts";
import { queryReader } from "./query-values.ts";
import { hasJsonBody, type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

const EXPOSED_HEADERS =
  "X-Request-Id, Retry-After, X-Should-Retry, X-Soul-Hub-Ignored, ETag, Allow, Content-Disposition, WWW-Authenticate, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset";
/** Name of the request decorator that holds the {@link RestCall}. */
const CALL = "hubCall";

/** What the access checks of a REST call set on the request, before its body is read. */
interface RestCall {
  ctx: RequestContext;
  /**
   * True if every caller without a credential gets the same response. Such a response carries an
   * ETag.
   */
  isShared: boolean;
}

/**
 * Allows scripts of any origin to call with a key; cookies are never sent along (decisions §3).
 * Errors carry these headers too, because a script could not read the error without them.
 */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.header("access-control-allow-origin", "*");
  reply.header("access-control-expose-headers", EXPOSED_HEADERS);
}

/**
 * Registers one Fastify route per endpoint below /api. Other methods of a path get 204 (OPTIONS) or
 * 405.
 */
export function restTransport(
  app: FastifyInstance,
  { hub, bodies }: { hub: Hub; bodies: BodyReader },
  done: () => void,
): void {
  app.decorateRequest(CALL);
  const methodsByUrl = new Map<string, Set<string>>();
  for (const endpoint of restEndpoints()) {
    const url = endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    const methods = methodsByUrl.get(url) ?? new Set();
    methodsByUrl.set(url, methods.add(endpoint.method));
    if (endpoint.method === "GET") methods.add("HEAD");
    const { takesFile } = endpoint;
    if (takesFile) {
      // Other endpoints accept JSON alone, so the parsers of files are in a scope of their own.
      app.register(async (scope) => {
        const spooled = endpoint.spoolsFile ? new SpooledBodies() : undefined;
        if (spooled) spooled.register(scope, takesFile);
        else registerFileParser(scope, bodies, takesFile);
        addEndpoint(scope, hub, endpoint, { url, spooled });
      });
    } else addEndpoint(app, hub, endpoint, { url });
  }
  addOpenApiDocument(app, hub);
  methodsByUrl.set("/openapi.json", new Set(["GET", "HEAD"]));
  addBackupRoute(app, hub);
  methodsByUrl.set("/admin/backup", new Set(["GET"]));
  for (const [url, methods] of methodsByUrl) rejectOtherMethods(app, url, methods);
  done();
}

interface SharedResponse {
  body: string;
  /** Undefined for a response that no cache may keep. */
  tag: string | undefined;
}

interface Route {
  url: string;
  /** The bodies of an endpoint that go to temporary files. */
  spooled?: SpooledBodies | undefined;
}

function addEndpoint(
  app: FastifyInstance,
  hub: Hub,
  endpoint: RestEndpoint,
  { url, spooled }: Route,
): void {
  const readQuery = queryReader(endpoint.input);
  const shareResponse = createSingleFlight<SharedResponse>();
  app.route({
    method: endpoint.method,
    url,
    bodyLimit: endpoint.maxBodyBytes,
    onRequest: authorizeCall(
      hub,
      endpoint,
      rateRuleOf(endpoint, endpoint.method === "GET" ? "query" : "mutation"),
    ),
    handler: (request, reply) =>
      spooled ? spooled.during(request, () => respond(request, reply)) : respond(request, reply),
  });

  async function respond(request: FastifyRequest, reply: FastifyReply) {
    const { ctx, isShared } = request.getDecorator<RestCall>(CALL);
    const input = readInput(endpoint, request, readQuery);
    // A fast GET gets no abort signal, because creating one costs more than the GET itself.
    const isShort = endpoint.method === "GET" && !endpoint.waits;
    const signal = isShort ? undefined : disconnectSignal(reply);
    const key = endpoint.idempotent
      ? readIdempotencyKey(request.headers["idempotency-key"])
      : undefined;
    const call = (onDelta?: OnDelta) => {
      const run = () => endpoint.call(onDelta ? { ...ctx, onDelta } : ctx, input, signal);
      return key === undefined ? run() : runOnce(ctx, { endpoint, key, body: named(input) }, run);
    };
    if (endpoint.streams && acceptsEventStream(request)) {
      return streamAnswer(request, reply, call);
    }
    const cdnCache = hub.config.cdnCache && !endpoint.isUnlisted;
    if (endpoint.sendsFile) {
      const { name, mediaType, bytes } = (await call()) as FileAnswer;
      reply.header("content-disposition", `attachment; filename="${name}"`);
      if (bytes instanceof Uint8Array) {
        const body = asBuffer(bytes);
        const tag = isShared ? tagOf(body) : undefined;
        return sendBody(request, reply, { body, mediaType, tag, cdnCache });
      }
      // A response to HEAD has no body, so nothing would read the stream.
      if (request.method === "HEAD") bytes.destroy();
      return reply.header("content-type", mediaType).send(bytes);
    }
    const textOf = (answer: object) => JSON.stringify({ success: true, ...answer });
    if (!isShared) {
      return sendBody(request, reply, { body: textOf(await call()), tag: undefined, cdnCache });
    }
    const writeTagged = async () => {
      const answer = await call();
      const body = textOf(answer);
      return endpoint.isPassing?.(answer) ? { body, tag: undefined } : withTag(body);
    };
    const response = await (isShort ? sharedOf(request.url, writeTagged) : writeTagged());
    if (response.tag === undefined) reply.header("cache-control", "no-store");
    return sendBody(request, reply, { ...response, cdnCache });
  }

  /**
   * Equal requests of one event-loop turn share a response: it is read, validated and written once.
   * Each caller has its own rate limits.
   */
  function sharedOf(url: string, write: () => Promise<SharedResponse>): Promise<SharedResponse> {
    let isFirst = false;
    const response = shareResponse(url, () => {
      isFirst = true;
      return write();
    });
    return response.catch((error: unknown) => {
      if (isFirst || toHubError(error).code !== "rate_limited") throw error;
      return write();
    });
  }
}

const withTag = <Body extends string | Buffer>(body: Body) => ({ body, tag: tagOf(body) });

/** Names a file in the input by its hash, so that an Idempotency-Key compares few bytes. */
const named = (input: unknown): unknown =>
  isJsonObject(input) && input.file instanceof Uint8Array
    ? { ...input, file: hash("sha256", input.file) }
    : input;

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Serves the OpenAPI document. It changes only with the base URL, which is known after the start. */
function addOpenApiDocument(app: FastifyInstance, hub: Hub): void {
  let written: { baseUrl: string; body: Buffer; tag: string } | undefined;
  const responseFor = ({ version, baseUrl }: Hub["config"]) => {
    if (written?.baseUrl !== baseUrl) {
      const body = Buffer.from(JSON.stringify(openApiDocument(version, baseUrl)));
      written = { baseUrl, ...withTag(body) };
    }
    return written;
  };
  app.get("/openapi.json", {
    onRequest: authorizeCall(hub, { access: "open", need: "public", shared: true }, "read"),
    handler(request, reply) {
      const { isShared } = request.getDecorator<RestCall>(CALL);
      const { body, tag } = responseFor(hub.config);
      const { cdnCache } = hub.config;
      return sendBody(request, reply, { body, tag: isShared ? tag : undefined, cdnCache });
    },
  });
}

/**
 * Returns a hook that checks the caller before the body is read. A refused caller thus learns
 * nothing about the expected body.
 */
const authorizeCall =
  (
    hub: Hub,
    { shared, isUnlisted, ...access }: AccessMeta & Pick<RestMeta, "shared" | "isUnlisted">,
    rateRule: RateRule,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const ctx = httpRequestContext(hub, "rest", request, reply);
    const caller = await ctx.identify();
    await ctx.limit(caller, rateRule);
    authorize(caller, access, ctx);
    const isShared = shared === true && caller.kind === "guest";
    request.setDecorator<RestCall>(CALL, { ctx, isShared });
    if (isUnlisted) reply.header("x-robots-tag", "noindex");
    reply.header("cache-control", isShared ? "no-cache" : "no-store");
  };

/**
 * Merges the fields of path, query and body into one input. The path wins. A DELETE takes fields
 * from its query or its body, or with `takesBody` from its body alone.
 */
function readInput(
  endpoint: RestEndpoint,
  { params, query, body }: FastifyRequest,
  readQuery: ReturnType<typeof queryReader>,
): unknown {
  const inPath = readQuery(params as object);
  if (endpoint.takesFile) {
    // A spooled body is the path of its file.
    const file = body ?? (endpoint.spoolsFile ? "" : new Uint8Array());
    return { ...readQuery(query as object), file, ...inPath };
  }
  if (hasJsonBody(endpoint)) {
    const given = body === undefined ? {} : body;
    return isJsonObject(given) ? { ...given, ...inPath } : given;
  }
  return { ...readQuery(query as object), ...(isJsonObject(body) ? body : {}), ...inPath };
}
