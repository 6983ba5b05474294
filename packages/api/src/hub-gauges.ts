import { sql } from "kysely";
import { Counter, Gauge } from "prom-client";
import type { Hub } from "./context.ts";
import type { Db } from "./db/database.ts";
import { migrations } from "./db/migrate.ts";
import { registerGauge } from "./metrics.ts";

type Observed = Pick<
  Hub,
  "config" | "metrics" | "database" | "modelCalls" | "bus" | "schema" | "searchUpkeep"
>;

/** Registers the metrics that are read from the parts of a hub (0071). */
export function registerHubGauges(hub: Observed) {
  const { config, metrics, database, modelCalls, bus, schema } = hub;
  const registers = [metrics.registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  /** A gauge or counter with one label, whose values `read` returns by the label. */
  const byLabel = (
    Kind: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    label: string,
    read: () => Iterable<[string, number]>,
  ) =>
    new Kind({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of read()) this.inc({ [label]: value }, count);
      },
    });

  new Gauge({
    name: "soulhub_build_info",
    help: "1, with the version of this server, its Node.js and its kind of database.",
    labelNames: ["version", "node", "database"],
    registers,
  }).set({ version: config.version, node: process.version, database: database.kind }, 1);
  gauge("soulhub_schema_version", "The newest migration of this server.").set(migrations.length);
  const tooNew = "1 after a newer release has overtaken this server.";
  registerGauge(metrics.registry, "soulhub_schema_too_new", tooNew, () => Number(schema.isTooNew));
  if (bus() !== "in-process") {
    const up = "1 while Redis is reachable.";
    registerGauge(metrics.registry, "soulhub_bus_up", up, () => Number(bus() === "ok"));
  }
  const waiting = "Souls that wait for their vector, at the last count.";
  registerGauge(
    metrics.registry,
    "soulhub_embeddings_waiting",
    waiting,
    () => hub.searchUpkeep.state.waiting,
  );
  const { pool, statements } = database;
  if (pool) {
    byLabel(
      Gauge,
      "soulhub_database_connections",
      "Connections in use, and callers that wait for one (waiting).",
      "state",
      () => Object.entries(pool()),
    );
  }
  byLabel(
    Gauge,
    "soulhub_model_turns",
    "Model calls of this server: running, and waiting in order.",
    "state",
    () => [
      ["running", modelCalls.running],
      ["waiting", modelCalls.waiting],
    ],
  );
  byLabel(
    Counter,
    "soulhub_database_seconds_total",
    "Seconds of statements, by their name.",
    "statement",
    () => [...statements.totals].map(({ name, seconds }) => [name, seconds]),
  );
  byLabel(
    Counter,
    "soulhub_database_statements_total",
    "Statements, by their name.",
    "statement",
    () => [...statements.totals].map(({ name, count }) => [name, count]),
  );
  return {
    databaseUp: gauge("soulhub_database_up", "1 if the database answered the last check."),
    openCases: gauge("soulhub_open_cases", "Cases that wait for a decision of the staff."),
  };
}

/** Counts the cases that wait for the staff: open ones, and those with an appeal. */
export async function countOpenCases(db: Db): Promise<number> {
  const { open } = await db
    .selectFrom("mod_cases")
    .select(sql<number>`count(*)`.as("open"))
    .where("state", "in", ["open", "appealed"])
    .executeTakeFirstOrThrow();
  return Number(open);
}
