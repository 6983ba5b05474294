import { sql } from "kysely";
import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import type { Db } from "./database.ts";

/** The difference at which the hub warns, in seconds (0035). */
const MAX_SKEW_SECONDS = 5;

/**
 * Compares this server's clock with the database's, and warns when they differ. Nothing else
 * follows, since every date comes from the database (0005).
 */
export class ClockWatch {
  readonly #skew: Gauge;
  #isSkewed = false;

  constructor(registry: Registry) {
    this.#skew = new Gauge({
      name: "soulhub_clock_skew_seconds",
      help: "How far this server's clock is ahead of the database's; negative if it is behind.",
      registers: [registry],
    });
  }

  /** Reads the database's clock. The hub calls this periodically. */
  async check(db: Db, log: Logger): Promise<void> {
    const before = Date.now() / 1_000;
    const { rows } = await sql<{ now: number }>`
      select extract(epoch from hub_now())::float8 as now`.execute(db);
    // Date.now() cuts off the fraction of a millisecond.
    const after = (Date.now() + 1) / 1_000;
    const now = rows[0]?.now ?? before;
    // The database read its clock between `before` and `after`. The time of the query thus never
    // counts as a difference.
    const skew = before > now ? before - now : Math.min(0, after - now);
    this.#skew.set(skew);
    const isSkewed = Math.abs(skew) > MAX_SKEW_SECONDS;
    if (isSkewed && !this.#isSkewed) {
      log.warn({ skewSeconds: skew }, "this server's clock differs from the database's");
    } else if (!isSkewed && this.#isSkewed) {
      log.info("this server's clock agrees with the database's again");
    }
    this.#isSkewed = isSkewed;
  }
}
