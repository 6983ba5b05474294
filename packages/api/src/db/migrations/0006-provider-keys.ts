import { Migration } from "@mikro-orm/migrations";

/** Keys that people bring for model providers (decisions §5, BYOK). */
export class ProviderKeys extends Migration {
  override name = "0006-provider-keys";

  override up(): void {
    this.addSql(`create table provider_keys (
      id bigserial primary key,
      account_id bigint not null
        constraint provider_keys_account_id_foreign references accounts on delete cascade,
      provider text not null
        constraint provider_keys_provider_check
          check (provider in ('openai', 'anthropic', 'google', 'openai-compatible')),
      api_key_sealed text not null,
      text_model text,
      vision_model text,
      base_url text,
      active boolean not null default false,
      created_at timestamptz not null default hub_now(),
      constraint provider_keys_account_provider_unique unique (account_id, provider))`);
    this.addSql(
      "create unique index provider_keys_active_unique on provider_keys (account_id) where active",
    );
  }
}
