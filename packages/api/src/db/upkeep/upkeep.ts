import { type RawBuilder, sql } from "kysely";
import { Histogram, type Registry } from "prom-client";
import type { Db } from "../database.ts";
import { tablesToAnalyze } from "./analyze-tables.ts";
import { tableToVacuum } from "./vacuum-tables.ts";

declare module "../../context.ts" {
  interface Hub {
    /** Null for PostgreSQL, where autovacuum and the checkpointer do this work. */
    upkeep: Upkeep | null;
  }
}

/** The hub is idle after this time without a call. */
const IDLE_MS = 2_000;
/**
 * Size of the write-ahead log since the last checkpoint. A larger one makes each checkpoint longer.
 */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** After a failure, for example on a full disk, the next try waits. */
const RETRY_MS = 60_000;

export interface UpkeepOptions {
  db: Db;
  registry: Registry;
  /** The time in milliseconds, from any start. */
  now?: () => number;
  maxLogBytes?: number;
}

/**
 * Analyzes, vacuums and checkpoints the embedded database, which has no processes that would do so
 * (0034). Each statement blocks all others until it ends.
 */
export class Upkeep {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #maxLogBytes: number;
  readonly #seconds: Histogram<"task">;
  readonly #startedAt = new Date();
  #lastCallAt: number;
  #retryAt: number;
  #pauses = 0;
  #running: Promise<void> | undefined;

  constructor({
    db,
    registry,
    now = () => performance.now(),
    maxLogBytes = MAX_LOG_BYTES,
  }: UpkeepOptions) {
    this.#db = db;
    this.#now = now;
    this.#maxLogBytes = maxLogBytes;
    this.#lastCallAt = now();
    this.#retryAt = now();
    this.#seconds = new Histogram({
      name: "soulhub_upkeep_seconds",
      help: "How long the embedded database was held up by its upkeep, by task.",
      labelNames: ["task"],
      buckets: [0.005, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers: [registry],
    });
  }

  noteCall(): void {
    this.#lastCallAt = this.#now();
  }

  /** Updates the planner's statistics of changed tables. */
  async analyze(): Promise<void> {
    for (const name of await tablesToAnalyze(this.#db)) {
      await this.#timed("analyze", sql`analyze ${sql.table(name)}`);
    }
  }

  /**
   * Runs the checkpoint and the one vacuum that are due. Does nothing while it runs or is paused,
   * and for a minute after a failure.
   */
  async run(): Promise<void> {
    if (this.#running || this.#pauses > 0 || this.#now() < this.#retryAt) return;
    this.#running = this.#runDue();
    try {
      await this.#running;
    } catch (error) {
      this.#retryAt = this.#now() + RETRY_MS;
      throw error;
    } finally {
      this.#running = undefined;
    }
  }

  /** Runs `work`, for example a copy of the database's files, without a vacuum or checkpoint. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++;
    try {
      // A failure is reported by the caller of `run`.
      await this.#running?.catch(() => undefined);
      return await work();
    } finally {
      this.#pauses--;
    }
  }

  async #runDue(): Promise<void> {
    const isIdle = this.#now() - this.#lastCallAt >= IDLE_MS;
    const table = await tableToVacuum(this.#db, { isIdle, startedAt: this.#startedAt });
    if (table) await this.#timed("vacuum", sql`vacuum ${sql.table(table)}`);
    if ((await this.#logBytes()) > this.#maxLogBytes) {
      await this.#timed("checkpoint", sql`checkpoint`);
    }
  }

  async #logBytes(): Promise<number> {
    const { rows } = await sql<{ bytes: number }>`
      select (pg_current_wal_lsn() - redo_lsn)::bigint as bytes
      from pg_control_checkpoint()`.execute(this.#db);
    return rows[0]?.bytes ?? 0;
  }

  async #timed(task: string, statement: RawBuilder<unknown>): Promise<void> {
    // Statements run in the order of their calls. The end of the first is thus the begin of the
    // second, without the time that this one waited for others.
    const turn = sql`select 1`.execute(this.#db);
    const done = statement.execute(this.#db);
    await turn.catch(() => undefined);
    const end = this.#seconds.startTimer({ task });
    await done;
    end();
  }
}
