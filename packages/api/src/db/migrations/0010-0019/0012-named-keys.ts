import { Migration } from "@mikro-orm/migrations";

/** Named API keys with scopes, and when the main key was made and last used (0050). */
export class NamedKeys extends Migration {
  override name = "0012-named-keys";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table api_keys (
    id bigserial primary key,
    account_id bigint not null
      constraint api_keys_account_id_foreign references accounts on delete cascade,
    name text not null,
    prefix text not null,
    key_hash text not null constraint api_keys_key_hash_unique unique,
    scopes text not null,
    created_at timestamptz not null default hub_now(),
    last_used_at timestamptz,
    expires_at timestamptz)`,
  "create index api_keys_account_id_index on api_keys (account_id)",
  // Finds the keys that expired long ago, which the sweeper deletes.
  "create index api_keys_expires_at_index on api_keys (expires_at)",

  "alter table accounts add column api_key_created_at timestamptz",
  "alter table accounts add column api_key_used_at timestamptz",
];
