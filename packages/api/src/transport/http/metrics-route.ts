import Fastify, { type FastifyInstance } from "fastify";
import type { Hub } from "../../context.ts";
import { authorize } from "../../trpc/authorize.ts";
import { registerErrorResponses } from "./error-responses.ts";
import { rejectOtherMethods, rejectRareMethods } from "./method-not-allowed.ts";
import { httpRequestContext } from "./request-context.ts";

/** GET /metrics for Prometheus, with ADMIN_TOKEN (decisions §7). */
export function registerMetricsRoute(app: FastifyInstance, hub: Hub): void {
  rejectOtherMethods(app, "/metrics", new Set(["GET", "HEAD"]));
  app.get("/metrics", async (request, reply) => {
    const ctx = httpRequestContext(hub, "rest", request, reply);
    const caller = await ctx.identify();
    // The rate limit counts the request before the admin token is checked, so that guesses are
    // limited.
    await ctx.limit(caller, "read");
    authorize(caller, { access: "admin" }, ctx);
    const { registry } = hub.metrics;
    return reply
      .header("cache-control", "no-store")
      .header("content-type", registry.contentType)
      .send(await registry.metrics());
  });
}

/** Creates an app that serves nothing but the metrics, for a port of their own (0071). */
export function createMetricsApp(hub: Hub): FastifyInstance {
  const app = Fastify({ genReqId: () => crypto.randomUUID() });
  registerErrorResponses(app);
  rejectRareMethods(app);
  registerMetricsRoute(app, hub);
  return app;
}
