import { Migration } from "@mikro-orm/migrations";

/** Deleted souls whose rooms others have written in (0076). */
export class DeletedSouls extends Migration {
  override name = "0027-deleted-souls";

  override up(): void {
    this.addSql("alter table souls add column deleted_at timestamptz null");
  }
}
