import { Migration } from "@mikro-orm/migrations";

/** Accounts that will be deleted, and the ids and hashed names of deleted ones (0063). */
export class AccountDeletions extends Migration {
  override name = "0022-account-deletions";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table accounts add column deletes_at timestamptz",

  `create table account_deletions (
    account_id bigint primary key
      constraint account_deletions_account_id_foreign references accounts on delete cascade,
    souls text not null constraint account_deletions_souls_check check (souls in ('delete', 'keep')),
    messages text not null
      constraint account_deletions_messages_check check (messages in ('anonymise', 'erase')))`,

  // No foreign key: these rows outlive their accounts.
  `create table deleted_accounts (
    account_id bigint primary key,
    account_created_at timestamptz not null,
    name_hash text not null,
    souls text not null,
    messages text not null,
    deleted_at timestamptz not null default hub_now())`,
  "create index deleted_accounts_name_hash_index on deleted_accounts (name_hash)",
  "create table deleted_name_keys (id bigint primary key, key_sealed text not null)",
];
