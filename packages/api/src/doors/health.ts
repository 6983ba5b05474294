import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Hub } from "../context.ts";
import { admit } from "../trpc.ts";
import { httpContext } from "./door-context.ts";
import { otherMethods } from "./other-methods.ts";

/** A load balancer wants an answer within a few seconds; a database that hangs gives none. */
const READY_MS = 2_000;

/** For load balancers and operators (decisions §7). /metrics is the operator's alone. */
export function healthRoutes(app: FastifyInstance, hub: Hub): void {
  for (const url of ["/healthz", "/readyz", "/metrics"]) {
    otherMethods(app, url, new Set(["GET", "HEAD"]));
  }

  // One question at a time: while it hangs, more would only take the callers' connections.
  let asking: Promise<unknown> | undefined;
  const askDatabase = () => {
    asking ??= sql`select 1 from accounts limit 1`.execute(hub.database.db).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  app.get("/healthz", async (_request, reply) =>
    reply.header("cache-control", "no-store").send({
      status: "ok",
      version: hub.config.version,
      database: hub.database.kind,
      models: hub.models.routes,
      // Never a silent stand-in: `offline` quotes the soul and is no model.
      model_configured: hub.models.routes.text !== "offline",
    }),
  );

  app.get("/metrics", async (request, reply) => {
    const ctx = httpContext(hub, "rest", request, reply);
    admit(await ctx.identify(), "admin", "rest");
    const { registry } = hub.metrics;
    return reply
      .header("cache-control", "no-store")
      .header("content-type", registry.contentType)
      .send(await registry.metrics());
  });

  app.get("/readyz", async (_request, reply) => {
    reply.header("cache-control", "no-store");
    try {
      // The tables are migrated before the server listens; asking one proves both.
      await Promise.race([askDatabase(), tooLate()]);
      return reply.send({ status: "ready", database: "ok", bus: hub.bus() });
    } catch (error) {
      hub.log.error({ err: error }, "the database does not answer");
      return reply
        .code(503)
        .header("retry-after", "5")
        .send({ status: "unavailable", database: "down" });
    }
  });
}

async function tooLate(): Promise<never> {
  await sleep(READY_MS, undefined, { ref: false });
  throw new Error(`no answer within ${READY_MS} ms`);
}
