import { Migration } from "@mikro-orm/migrations";

/** What calls to model providers cost and how they ended (docs/decisions/0013). */
export class ModelUsage extends Migration {
  override name = "0007-model-usage";

  override up(): void {
    this.addSql(`create table model_usage (
      id uuid primary key,
      account_id bigint
        constraint model_usage_account_id_foreign references accounts on delete cascade,
      provider text not null,
      model text not null,
      route text not null,
      own_key boolean not null,
      input_tokens int,
      output_tokens int,
      first_token_ms int,
      total_ms int not null,
      outcome text not null,
      at timestamptz not null)`);
    this.addSql("create index model_usage_at_index on model_usage (at)");
    this.addSql("create index model_usage_account_id_index on model_usage (account_id, at)");
  }
}
