import { Migration } from "@mikro-orm/migrations";

/** Which room's summary is being folded, by whichever server (docs/decisions/0015). */
export class OneFoldAtATime extends Migration {
  override name = "0009-one-fold-at-a-time";

  override up(): void {
    this.addSql("alter table chat_rooms add column folding_until timestamptz");
  }
}
