import { Migration } from "@mikro-orm/migrations";

/**
 * A migration that adds one index to a table of an earlier release, while calls read and write the
 * table. The build waits for all transactions that are open, also long ones such as a backup. It
 * blocks no call meanwhile, so its lock timeout is longer than that of other migrations (0030).
 */
export abstract class ConcurrentIndex extends Migration {
  /**
   * True if no two rows may have the same values. Servers of the previous release must leave a
   * column of the index null, or the index would refuse their rows.
   */
  readonly isUnique: boolean = false;
  /** The name of the index. */
  abstract readonly index: string;
  /** The table with the columns, such as `souls (title)`. */
  abstract readonly on: string;

  /** PostgreSQL refuses `create index concurrently` in a transaction. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql("set lock_timeout = '10min'");
    // A build that was broken off leaves an invalid index: writes maintain it, and no query uses it.
    this.addSql(`drop index concurrently if exists ${this.index}`);
    const kind = this.isUnique ? "unique index" : "index";
    this.addSql(`create ${kind} concurrently ${this.index} on ${this.on}`);
    this.addSql("reset lock_timeout");
  }
}
