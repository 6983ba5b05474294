import { Migration } from "@mikro-orm/migrations";

/** Souls that stay private while their author or the souls themselves are held back (0061). */
export class SoulHolds extends Migration {
  override name = "0020-soul-holds";

  override up(): void {
    this.addSql(`create table soul_holds (
      soul_id bigint not null
        constraint soul_holds_soul_id_foreign references souls on delete cascade,
      kind text not null
        constraint soul_holds_kind_check check (kind in ('moderation', 'suspension', 'deletion')),
      was_public smallint not null,
      primary key (soul_id, kind))`);
  }
}
