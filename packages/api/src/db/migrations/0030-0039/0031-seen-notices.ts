import { Migration } from "@mikro-orm/migrations";

/** The newest notice that an account has seen (0062). */
export class SeenNotices extends Migration {
  override name = "0031-seen-notices";

  override up(): void {
    this.addSql("alter table accounts add column notices_seen_to bigint not null default 0");
  }
}
