import { Migration } from "@mikro-orm/migrations";

/** Links that are mailed, verified addresses, and what owners see of their sessions (0059). */
export class AccountLinks extends Migration {
  override name = "0018-account-links";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table account_links (
    id bigserial primary key,
    token_hash text not null constraint account_links_token_hash_unique unique,
    account_id bigint not null
      constraint account_links_account_id_foreign references accounts on delete cascade,
    purpose text not null,
    email text,
    created_at timestamptz not null default hub_now(),
    expires_at timestamptz not null)`,
  "create index account_links_account_id_index on account_links (account_id)",
  // Finds the links that have expired, which the sweeper deletes.
  "create index account_links_expires_at_index on account_links (expires_at)",

  "alter table accounts add column email_verified_at timestamptz",
  "alter table sessions add column label text",
  "alter table sessions add column last_used_at timestamptz",
];
