import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Hub } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { isConnectionError, isReadOnly, isStorageFull } from "../../db/database-errors.ts";
import type { FailureCode } from "../../errors.ts";
import type { HubMetrics } from "../../metrics.ts";
import type { ModelRoute } from "../models/model-port.ts";

declare module "../../context.ts" {
  interface Hub {
    modelUsage: ModelUsageLog;
  }
}

/**
 * Queued usage rows are written in batches after this delay. A crash loses them
 * (docs/decisions/0013).
 */
const WRITE_AFTER_MS = 1_000;
const ROWS_PER_WRITE = 500;
/**
 * Maximum number of usage rows held in memory while the database is unreachable or its disk is
 * full. Older ones are dropped.
 */
const MAX_WAITING = 10_000;

/** A completed model call, in the columns of the table `model_usage`. */
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
  /** Updates the metrics and queues a usage row, which is written within about a second. */
  record(call: EndedCall): void;
  /** Writes all queued usage rows. */
  flush(): Promise<void>;
}

export function createModelUsageLog({
  db,
  metrics,
  log,
}: Pick<Hub, "metrics" | "log"> & { db: Db }): ModelUsageLog {
  let waiting: Array<EndedCall & { id: string; endedAt: number }> = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const scheduleFlush = () => {
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
        const retry = isConnectionError(error) || isStorageFull(error) || isReadOnly(error);
        log.error({ err: error, rows: rows.length, retry }, "usage rows could not be written");
        if (!retry) continue;
        waiting = rows.concat(waiting).slice(-MAX_WAITING);
        scheduleFlush();
        return;
      }
    }
  }

  return {
    record(call) {
      count(metrics, call);
      waiting.push({ ...call, id: randomUUID(), endedAt: performance.now() });
      if (waiting.length > MAX_WAITING) waiting.shift();
      scheduleFlush();
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

/**
 * Replaces the model names of accounts' own provider keys in metrics, reports and traces. Accounts
 * choose those names freely, so there could be too many, and they are text of users.
 */
export const OWN_KEY_MODELS = "own-key";

function count(metrics: HubMetrics, call: EndedCall): void {
  const labels = { provider: call.provider, model: call.own_key ? OWN_KEY_MODELS : call.model };
  const { outcome } = call;
  if (call.route !== "summary") metrics.chats.note({ ...labels, outcome });
  metrics.modelTokens.note({ ...labels, direction: "input" }, call.input_tokens ?? 0);
  metrics.modelTokens.note({ ...labels, direction: "output" }, call.output_tokens ?? 0);
  metrics.modelSeconds.note({ ...labels, outcome }, call.total_ms / 1_000);
  if (call.first_token_ms === null) return;
  metrics.firstTokenSeconds.note(labels, call.first_token_ms / 1_000);
}

/** Deletes usage rows older than `days`; 0 deletes none. */
export async function sweepModelUsage(db: Db, days: number): Promise<void> {
  if (days === 0) return;
  await db
    .deleteFrom("model_usage")
    .where("at", "<", sql<string>`hub_now() - make_interval(days => ${days}::int)`)
    .execute();
}
