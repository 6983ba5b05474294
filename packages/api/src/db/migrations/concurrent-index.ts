import { Migration } from "@mikro-orm/migrations";

/**
 * A migration that adds one index to a table of an earlier release, while calls read and write the
 * table. The build waits for all transactions that are open, also long ones such as a backup. It
 * blocks no call meanwhile, so its lock timeout is longer than that of other migrations (0030).
 */
export abstract class ConcurrentIndex extends Migration {
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
    this.addSql(`create index concurrently ${this.index} on ${this.on}`);
    this.addSql("reset lock_timeout");
  }
}
