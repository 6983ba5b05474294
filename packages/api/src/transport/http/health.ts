import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Hub } from "../../context.ts";
import { rejectOtherMethods } from "./method-not-allowed.ts";

/**
 * Time limit of the readiness check. Load balancers wait only a few seconds, and a database that
 * hangs never answers.
 */
const READY_MS = 2_000;

/** Routes for load balancers and operators (decisions §7). */
export function registerHealthRoutes(app: FastifyInstance, hub: Hub): void {
  for (const url of ["/healthz", "/readyz"]) {
    rejectOtherMethods(app, url, new Set(["GET", "HEAD"]));
  }

  // Only one readiness check queries the database at a time. While the database hangs, further
  // checks would take connections from other calls.
  let query: Promise<boolean> | undefined;
  const asksStandby = () => {
    query ??= readStandby(hub).finally(() => {
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
      found: hub.searchUpkeep.state,
    }),
  );

  app.get("/readyz", async (_request, reply) => {
    reply.header("cache-control", "no-store");
    const unavailable = (cause: object) =>
      reply
        .code(503)
        .header("retry-after", "5")
        .send({ status: "unavailable", ...cause });
    if (hub.stopping.aborted) return unavailable({ server: "stopping" });
    if (hub.schema.isTooNew) return unavailable({ schema: "too_new" });
    try {
      const isStandby = await Promise.race([asksStandby(), readyTimeout()]);
      // These words never change the status: reads work without bus, disk space and mail, and a 503
      // would take every server out of service.
      return reply.send({
        status: "ready",
        database: "ok",
        bus: hub.bus(),
        storage: hub.storage.isFull ? "full" : "ok",
        mail: hub.mail?.state ?? "off",
        replica: isStandby ? "standby" : "none",
      });
    } catch (error) {
      hub.log.error({ err: error }, "the database does not answer");
      return unavailable({ database: "down" });
    }
  });
}

/**
 * Returns whether the database is a standby, which refuses writes. Migrations run before the server
 * listens, so a query of a table proves that the database answers and is migrated.
 */
async function readStandby({ database }: Hub): Promise<boolean> {
  const { rows } = await sql<{ is_standby: boolean }>`
    select pg_is_in_recovery() as is_standby, (select 1 from accounts limit 1)`.execute(
    database.db,
  );
  return rows[0]?.is_standby ?? false;
}

async function readyTimeout(): Promise<never> {
  await sleep(READY_MS, undefined, { ref: false });
  throw new Error(`no answer within ${READY_MS} ms`);
}
