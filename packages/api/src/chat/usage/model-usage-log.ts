import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../../db/entities.ts";
import { isLostConnection } from "../../db/lost-connection.ts";
import type { FailureCode } from "../../errors.ts";
import type { HubMetrics } from "../../metrics.ts";
import type { ModelRoute } from "../models/model-port.ts";

// docs/decisions/0013
/** A crash loses what is younger than this. */
const WRITE_AFTER_MS = 1_000;
const ROWS_PER_WRITE = 500;
/** Kept in memory while the database is away. */
const MAX_WAITING = 10_000;
const KEPT_DAYS = 90;

/** A call that has ended, as the table `model_usage` keeps it. */
export interface EndedCall {
  account_id: number | null;
  provider: string;
  model: string;
  route: ModelRoute;
  own_key: boolean;
  input_tokens: number | null;
  output_tokens: number | null;
  first_token_ms: number | null;
  total_ms: number;
  outcome: FailureCode | "ok";
}

export interface ModelUsageLog {
  /** Returns at once; the row is written within about a second. */
  record(call: EndedCall): void;
  /** Writes what waits. For a hub that closes, and for tests. */
  flush(): Promise<void>;
}

interface UsageLogPorts {
  db: Db;
  metrics: HubMetrics;
  log: Logger;
}

export function createModelUsageLog({ db, metrics, log }: UsageLogPorts): ModelUsageLog {
  let waiting: Array<EndedCall & { id: string; endedAt: number }> = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const flushSoon = () => {
    timer ??= setTimeout(() => void flush(), WRITE_AFTER_MS).unref();
  };

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll);
    return writing;
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const rows = waiting.splice(0, ROWS_PER_WRITE);
      try {
        await write(db, rows);
      } catch (error) {
        const again = isLostConnection(error);
        log.error({ err: error, rows: rows.length, again }, "usage rows could not be written");
        if (!again) continue;
        waiting = rows.concat(waiting).slice(-MAX_WAITING);
        flushSoon();
        return;
      }
    }
  }

  return {
    record(call) {
      count(metrics, call);
      waiting.push({ ...call, id: randomUUID(), endedAt: performance.now() });
      if (waiting.length > MAX_WAITING) waiting.shift();
      flushSoon();
    },
    flush,
  };
}

async function write(db: Db, rows: Array<EndedCall & { id: string; endedAt: number }>) {
  const now = performance.now();
  await db
    .insertInto("model_usage")
    .values(
      rows.map(({ endedAt, ...row }) => ({
        ...row,
        at: sql<string>`hub_now() - make_interval(secs => ${(now - endedAt) / 1_000}::float8)`,
      })),
    )
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** The name of a model behind somebody's own key is that person's to choose, so it is no label. */
const OWN_MODEL = "own-key";

function count(metrics: HubMetrics, call: EndedCall): void {
  const labels = { provider: call.provider, model: call.own_key ? OWN_MODEL : call.model };
  const { outcome } = call;
  if (call.route !== "summary") metrics.chats.inc({ ...labels, outcome });
  metrics.modelTokens.inc({ ...labels, direction: "input" }, call.input_tokens ?? 0);
  metrics.modelTokens.inc({ ...labels, direction: "output" }, call.output_tokens ?? 0);
  metrics.modelSeconds.observe({ ...labels, outcome }, call.total_ms / 1_000);
  if (call.first_token_ms === null) return;
  metrics.firstTokenSeconds.observe(labels, call.first_token_ms / 1_000);
}

/** For the sweeper. */
export async function sweepModelUsage(db: Db): Promise<void> {
  await db
    .deleteFrom("model_usage")
    .where("at", "<", sql<string>`hub_now() - make_interval(days => ${KEPT_DAYS}::int)`)
    .execute();
}
