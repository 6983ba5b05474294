import { Migration } from "@mikro-orm/migrations";

/** Accounts that other accounts have blocked (0064). */
export class Blocks extends Migration {
  override name = "0023-blocks";

  override up(): void {
    this.addSql(`create table blocks (
      blocker_id bigint not null
        constraint blocks_blocker_id_foreign references accounts on delete cascade,
      blocked_id bigint not null
        constraint blocks_blocked_id_foreign references accounts on delete cascade,
      created_at timestamptz not null default hub_now(),
      primary key (blocker_id, blocked_id))`);
    this.addSql("create index blocks_blocked_id_index on blocks (blocked_id)");
  }
}
