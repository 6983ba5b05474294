import { Migration } from "@mikro-orm/migrations";

/** Answers of calls that were made with an Idempotency-Key (decisions §7). */
export class IdempotentCalls extends Migration {
  override name = "0004-idempotent-calls";

  override up(): void {
    this.addSql(`create table idempotent_calls (
      account_id bigint not null
        constraint idempotent_calls_account_id_foreign references accounts on delete cascade,
      route text not null,
      key_hash text not null,
      body_hash text not null,
      outcome text,
      created_at timestamptz not null default hub_now(),
      primary key (account_id, route, key_hash))`);
    this.addSql("create index idempotent_calls_created_at_index on idempotent_calls (created_at)");
  }
}
