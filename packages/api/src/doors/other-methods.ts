import type { FastifyInstance } from "fastify";
import { HubError } from "../errors.ts";

const ALLOWED_HEADERS = "authorization, content-type, idempotency-key, if-none-match, x-request-id";

/** What a known address says to all other methods (decisions §1): 204 to OPTIONS, else 405, both with Allow. */
export function otherMethods(
  app: FastifyInstance,
  url: string,
  methods: ReadonlySet<string>,
): void {
  const allow = [...methods, "OPTIONS"].sort().join(", ");
  app.route({
    method: app.supportedMethods.filter((method) => !methods.has(method)),
    url,
    onRequest: async (request, reply) => {
      reply.header("allow", allow);
      if (request.method !== "OPTIONS") throw new HubError("method_not_allowed");
      // Answers a browser's preflight as well: keys may be sent from any page, cookies may not.
      reply
        .header("access-control-allow-methods", allow)
        .header("access-control-allow-headers", ALLOWED_HEADERS)
        .header("access-control-max-age", "86400")
        .code(204);
      return reply.send();
    },
    handler: () => undefined,
  });
}
