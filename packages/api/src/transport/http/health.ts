import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Hub } from "../../context.ts";
import { authorize } from "../../trpc/trpc.ts";
import { rejectOtherMethods } from "./method-not-allowed.ts";
import { httpRequestContext } from "./request-context.ts";

/**
 * Time limit of the readiness check. Load balancers wait only a few seconds, and a database that
 * hangs never answers.
 */
const READY_MS = 2_000;

/** Routes for load balancers and operators (decisions §7). /metrics requires ADMIN_TOKEN. */
export function registerHealthRoutes(app: FastifyInstance, hub: Hub): void {
  for (const url of ["/healthz", "/readyz", "/metrics"]) {
    rejectOtherMethods(app, url, new Set(["GET", "HEAD"]));
  }

  // Only one readiness check queries the database at a time. While the database hangs, further
  // checks would take connections from other calls.
  let query: Promise<unknown> | undefined;
  const pingDatabase = () => {
    query ??= sql`select 1 from accounts limit 1`.execute(hub.database.db).finally(() => {
      query = undefined;
    });
    return query;
  };

  app.get("/healthz", async (_request, reply) =>
    reply.header("cache-control", "no-store").send({
      status: "ok",
      version: hub.config.version,
      database: hub.database.kind,
      models: hub.models.routes,
      // The route `offline` uses no model: its replies only quote the soul.
      model_configured: hub.models.routes.text !== "offline",
    }),
  );

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

  app.get("/readyz", async (_request, reply) => {
    reply.header("cache-control", "no-store");
    const unavailable = (cause: object) =>
      reply
        .code(503)
        .header("retry-after", "5")
        .send({ status: "unavailable", ...cause });
    if (hub.schema.isTooNew) return unavailable({ schema: "too_new" });
    try {
      // Migrations run before the server listens. A query of a table therefore proves that the
      // database answers and is migrated.
      await Promise.race([pingDatabase(), readyTimeout()]);
      // The readiness check gives 200 even if the disk is full, since reads work. A 503 would take
      // every server out of service.
      const storage = hub.storage.isFull ? { storage: "full" } : {};
      return reply.send({ status: "ready", database: "ok", bus: hub.bus(), ...storage });
    } catch (error) {
      hub.log.error({ err: error }, "the database does not answer");
      return unavailable({ database: "down" });
    }
  });
}

async function readyTimeout(): Promise<never> {
  await sleep(READY_MS, undefined, { ref: false });
  throw new Error(`no answer within ${READY_MS} ms`);
}
