import { Migration } from "@mikro-orm/migrations";

/** Mails that the SMTP server has not taken yet (0059). */
export class WaitingMails extends Migration {
  override name = "0026-waiting-mails";

  override up(): void {
    this.addSql(`create table waiting_mails (
      id bigserial primary key,
      account_id bigint not null
        constraint waiting_mails_account_id_foreign references accounts on delete cascade,
      sealed text not null,
      tries int not null default 0,
      created_at timestamptz not null default hub_now(),
      next_try_at timestamptz not null default hub_now())`);
    this.addSql("create index waiting_mails_account_id_index on waiting_mails (account_id)");
  }
}
