import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import createRouter from "find-my-way";
import { HubError } from "../../errors.ts";

const ALLOWED_HEADERS = "authorization, content-type, idempotency-key, if-none-match, x-request-id";

/** The methods of endpoints, and OPTIONS, which a browser sends before a call (CORS). */
const COMMON_METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
/** Name of the app decorator that holds the URLs of {@link rejectOtherMethods}. */
const URLS = "hubUrls";
type UrlRouter = ReturnType<typeof createRouter>;

/**
 * Responds to the 28 methods of HTTP that no endpoint has, such as PROPFIND. A Fastify route for each
 * of them and each URL would take most of the start of an app.
 * @param maxParamLength that of the app's own router; Fastify's default if it sets none
 */
export function rejectRareMethods(app: FastifyInstance, maxParamLength = 100): void {
  app.decorate(URLS, createRouter({ maxParamLength }));
  const urls = app.getDecorator<UrlRouter>(URLS);
  app.addHook("onRequest", async (request, reply) => {
    if (COMMON_METHODS.includes(request.method)) return;
    const found = urls.find("OPTIONS", request.url);
    if (found) return respondToOtherMethod(request, reply, found.store);
  });
}

/** Registers {@link respondToOtherMethod} for all methods that a URL does not support. */
export function rejectOtherMethods(
  app: FastifyInstance,
  url: string,
  methods: ReadonlySet<string>,
): void {
  app.getDecorator<UrlRouter>(URLS).on("OPTIONS", app.prefix + url, () => undefined, methods);
  app.route({
    method: COMMON_METHODS.filter((method) => !methods.has(method)),
    url,
    // An onRequest hook responds before the body is read.
    onRequest: async (request, reply) => respondToOtherMethod(request, reply, methods),
    handler: () => undefined,
  });
}

/**
 * Responds to a method that a known URL does not support (decisions §1): 204 to OPTIONS, otherwise
 * 405. Both have the Allow header.
 */
export function respondToOtherMethod(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: ReadonlySet<string>,
): FastifyReply {
  const allow = [...methods, "OPTIONS"].sort().join(", ");
  reply.header("allow", allow);
  if (request.method !== "OPTIONS") throw new HubError("method_not_allowed");
  // The answer to a browser's preflight request (CORS). Any page may send API keys, but no cookies.
  return reply
    .header("access-control-allow-methods", allow)
    .header("access-control-allow-headers", ALLOWED_HEADERS)
    .header("access-control-max-age", "86400")
    .code(204)
    .send();
}
