import { Migration } from "@mikro-orm/migrations";

/** Wallets of accounts, and the proofs that were used for them. */
export class Wallets extends Migration {
  override name = "0002-wallets";

  override up(): void {
    this.addSql(`alter table accounts
      add column wallet text constraint accounts_wallet_unique unique,
      add column wallet_key text,
      add column wallet_verified boolean not null default false,
      add constraint accounts_wallet_check check (
        (wallet is null) = (wallet_key is null) and not (wallet is null and wallet_verified))`);

    this.addSql(`create table wallet_proofs (
      id text primary key,
      expires_at timestamptz not null)`);
    this.addSql("create index wallet_proofs_expires_at_index on wallet_proofs (expires_at)");
  }
}
