import { sql } from "kysely";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Database } from "./db/database.ts";
import { isStorageFull } from "./db/database-errors.ts";
import { registerGauge } from "./metrics.ts";

declare module "./context.ts" {
  interface Hub {
    storage: StorageState;
  }
}

/** The hub writes far less than the default reserve of 256 MB in this time (0031). */
const MEASURE_MS = 1_000;
const PROBE_MS = 5_000;
/** About 1 MB. */
const PROBE_ROWS = 30_000;
/** A probe may need a new WAL segment of 16 MB. Without one, the embedded PostgreSQL panics. */
const PROBE_NEEDS_BYTES = 20 * 2 ** 20;

interface StorageOptions {
  database: Database;
  reserveBytes: number;
  registry: Registry;
  log: Logger;
}

/**
 * Tracks whether the database's disk is full. While it is, the hub refuses writes before they
 * begin. Otherwise it would call a model for a reply that it cannot store. Every five seconds, a
 * write of the hub's own finds out whether there is space again (0031).
 */
export class StorageState {
  readonly #options: StorageOptions;
  #isFull = false;
  #freeBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: StorageOptions) {
    this.#options = options;
    const { database, registry } = options;
    const full = "1 while writes are refused for lack of disk space.";
    registerGauge(registry, "soulhub_storage_full", full, () => Number(this.#isFull));
    if (database.freeBytes) {
      const free = "Free bytes on the embedded database's disk.";
      registerGauge(registry, "soulhub_disk_free_bytes", free, () => this.#freeBytes);
    }
    void this.#repeat();
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Records that a write found no disk space. The next probe follows in five seconds. */
  foundFull(): void {
    this.#change(true);
    this.#schedule();
  }

  /** Measures the free disk space. If the disk was full, also makes a write to probe it. */
  async check(): Promise<void> {
    const { database, reserveBytes, log } = this.#options;
    try {
      if (database.freeBytes) {
        this.#freeBytes = await database.freeBytes();
        const needed = this.#isFull ? Math.max(reserveBytes, PROBE_NEEDS_BYTES) : reserveBytes;
        if (this.#freeBytes < needed) return this.#change(true);
      }
      if (!this.#isFull) return;
      await this.#probe();
      this.#change(false);
    } catch (error) {
      if (!isStorageFull(error)) log.error({ err: error }, "the disk space could not be checked");
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #repeat(): Promise<void> {
    await this.check();
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const measures = this.#options.database.freeBytes !== undefined;
    if (this.#isClosed || !(measures || this.#isFull)) return;
    const delay = this.#isFull ? PROBE_MS : MEASURE_MS;
    this.#timer = setTimeout(() => void this.#repeat(), delay).unref();
  }

  #change(isFull: boolean): void {
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    const { log } = this.#options;
    if (isFull) log.error("the database's disk is full: writes are refused until it has space");
    else log.info("the database's disk has space again: writes are accepted");
  }

  /**
   * Commits a new table of about 1 MB and its removal. A change of an existing row could succeed on
   * a full disk, since it needs no new page.
   */
  async #probe(): Promise<void> {
    await this.#options.database.db.transaction().execute(async (tx) => {
      await sql`create table storage_probe as
        select n from generate_series(1, ${sql.lit(PROBE_ROWS)}) n`.execute(tx);
      await sql`drop table storage_probe`.execute(tx);
    });
  }
}
