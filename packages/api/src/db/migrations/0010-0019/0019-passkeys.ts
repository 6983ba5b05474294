import { Migration } from "@mikro-orm/migrations";

/** Passkeys of accounts, and challenges that their devices have to sign (0060). */
export class Passkeys extends Migration {
  override name = "0019-passkeys";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table passkeys (
    id bigserial primary key,
    account_id bigint not null
      constraint passkeys_account_id_foreign references accounts on delete cascade,
    name text not null,
    credential_id text not null constraint passkeys_credential_id_unique unique,
    public_key text not null,
    counter bigint not null,
    rp_id text not null,
    created_at timestamptz not null default hub_now(),
    last_used_at timestamptz)`,
  "create index passkeys_account_id_index on passkeys (account_id)",

  `create table passkey_challenges (
    challenge text primary key,
    account_id bigint
      constraint passkey_challenges_account_id_foreign references accounts on delete cascade,
    expires_at timestamptz not null)`,
  "create index passkey_challenges_account_id_index on passkey_challenges (account_id)",
  // Finds expired challenges, which the sweeper deletes.
  "create index passkey_challenges_expires_at_index on passkey_challenges (expires_at)",
];
