import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../caller/account.entity.ts";

/** An account's key for a model provider (decisions §5, BYOK). One key per account is active. */
export const ProviderKey = defineEntity({
  name: "provider_keys",
  properties: {
    id: p.bigint("number").primary(),
    account: () => p.manyToOne(Account).deleteRule("cascade"),
    provider: p.text(),
    /**
     * The provider's API key, encrypted by the vault with account and provider as additional data.
     */
    api_key_sealed: p.text(),
    /** Model names without provider. */
    text_model: p.text().nullable(),
    vision_model: p.text().nullable(),
    /**
     * Base URL of an `openai-compatible` provider. Each use checks again that the operator allows
     * its host.
     */
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
