import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HubError } from "../errors.ts";

const ALLOWED_HEADERS = "authorization, content-type, idempotency-key, if-none-match, x-request-id";

/** All methods of an address but its own, answered by {@link answerOtherMethod}. */
export function otherMethods(
  app: FastifyInstance,
  url: string,
  methods: ReadonlySet<string>,
): void {
  app.route({
    method: app.supportedMethods.filter((method) => !methods.has(method)),
    url,
    // Before a body is read.
    onRequest: async (request, reply) => answerOtherMethod(request, reply, methods),
    handler: () => undefined,
  });
}

/** What a known address says to all other methods (decisions §1): 204 to OPTIONS, else 405, both with Allow. */
export function answerOtherMethod(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: ReadonlySet<string>,
): FastifyReply {
  const allow = [...methods, "OPTIONS"].sort().join(", ");
  reply.header("allow", allow);
  if (request.method !== "OPTIONS") throw new HubError("method_not_allowed");
  // Answers a browser's preflight as well: keys may be sent from any page, cookies may not.
  return reply
    .header("access-control-allow-methods", allow)
    .header("access-control-allow-headers", ALLOWED_HEADERS)
    .header("access-control-max-age", "86400")
    .code(204)
    .send();
}
