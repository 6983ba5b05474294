import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HubError } from "../../errors.ts";

const ALLOWED_HEADERS = "authorization, content-type, idempotency-key, if-none-match, x-request-id";

/** Registers {@link respondToOtherMethod} for all methods that a URL does not support. */
export function rejectOtherMethods(
  app: FastifyInstance,
  url: string,
  methods: ReadonlySet<string>,
): void {
  app.route({
    method: app.supportedMethods.filter((method) => !methods.has(method)),
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
