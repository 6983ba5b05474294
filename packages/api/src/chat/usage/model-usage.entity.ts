import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../caller/account.entity.ts";

/**
 * One call to a model provider, including its retry: its cost and outcome, for the operator. No
 * message text is stored (docs/decisions/0013).
 */
export const ModelUse = defineEntity({
  name: "model_usage",
  properties: {
    /** Id that the server creates, so that it can retry an insert whose response was lost. */
    id: p.uuid().primary(),
    /**
     * Account of the caller; null for a guest. A summary run has the account whose reply started
     * it.
     */
    account: () => p.manyToOne(Account).nullable().deleteRule("cascade"),
    provider: p.text(),
    model: p.text(),
    /** Purpose of the call, a value of `ModelRoute`. */
    route: p.text(),
    /** True if the call used the account's own provider key. */
    own_key: p.boolean(),
    /** Number of input tokens; null if the provider did not report it. */
    input_tokens: p.integer().nullable(),
    output_tokens: p.integer().nullable(),
    /** Milliseconds until the first piece of text; null if the call produced no text. */
    first_token_ms: p.integer().nullable(),
    total_ms: p.integer(),
    /** Outcome of the call: `ok`, an error code, or `cancelled` if the consumer stopped reading. */
    outcome: p.text(),
    /** Time at which the call ended. */
    at: p.string().columnType("timestamptz"),
  },
  indexes: [
    { name: "model_usage_at_index", properties: ["at"] },
    { name: "model_usage_account_id_index", properties: ["account", "at"] },
  ],
});
