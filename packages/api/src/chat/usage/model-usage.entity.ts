import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../accounts/account.entity.ts";

/**
 * One call to a model provider, its second attempt included: what it cost and how it ended, for the
 * operator. Nothing of what was said (docs/decisions/0013).
 */
export const ModelUse = defineEntity({
  name: "ModelUse",
  tableName: "model_usage",
  properties: {
    /** Made by the server, so that a write whose answer was lost can be repeated. */
    id: p.uuid().primary(),
    /** Null for a guest. A summary counts for whoever had the reply before it. */
    account: () => p.manyToOne(Account).nullable().deleteRule("cascade"),
    provider: p.text(),
    model: p.text(),
    /** Which way the call went, as `ModelRoute` has them. */
    route: p.text(),
    /** Paid by the account with its own provider key, not by the platform. */
    own_key: p.boolean(),
    /** Null where the provider did not say. */
    input_tokens: p.integer().nullable(),
    output_tokens: p.integer().nullable(),
    /** Null where no text came. */
    first_token_ms: p.integer().nullable(),
    total_ms: p.integer(),
    /** `ok`, or the failure's code; `cancelled` where nobody waited for the end. */
    outcome: p.text(),
    /** When the call ended. */
    at: p.string().columnType("timestamptz"),
  },
  indexes: [
    { name: "model_usage_at_index", properties: ["at"] },
    { name: "model_usage_account_id_index", properties: ["account", "at"] },
  ],
});
