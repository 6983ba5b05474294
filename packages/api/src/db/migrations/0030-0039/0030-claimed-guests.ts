import { Migration } from "@mikro-orm/migrations";

/** The guests whose rooms an account has taken along (0077). */
export class ClaimedGuests extends Migration {
  override name = "0030-claimed-guests";

  override up(): void {
    this.addSql(`create table claimed_guests (
      guest text primary key,
      account_id bigint not null
        constraint claimed_guests_account_id_foreign references accounts on delete cascade,
      holds_to bigint not null,
      created_at timestamptz not null default hub_now())`);
    this.addSql("create index claimed_guests_account_id_index on claimed_guests (account_id)");
  }
}
