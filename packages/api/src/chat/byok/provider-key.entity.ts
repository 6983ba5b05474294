import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../accounts/account.entity.ts";

/** A key of somebody's own for a model provider (decisions §5, BYOK); one provider is active at a time. */
export const ProviderKey = defineEntity({
  name: "ProviderKey",
  tableName: "provider_keys",
  properties: {
    id: p.bigint("number").primary(),
    account: () => p.manyToOne(Account).deleteRule("cascade"),
    provider: p.text(),
    /** Bound to account and provider. */
    api_key_sealed: p.text(),
    /** Bare names; null where none was named. */
    text_model: p.text().nullable(),
    vision_model: p.text().nullable(),
    /** Of `openai-compatible` alone. The operator's list is asked again at each use. */
    base_url: p.text().nullable(),
    active: p.boolean().default(false),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  uniques: [
    { name: "provider_keys_account_provider_unique", properties: ["account", "provider"] },
    { name: "provider_keys_active_unique", properties: ["account"], where: "active" },
  ],
  checks: [
    {
      name: "provider_keys_provider_check",
      expression: "provider in ('openai', 'anthropic', 'google', 'openai-compatible')",
    },
  ],
});
