import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../caller/account.entity.ts";

/** The outcome of a call with an Idempotency-Key, stored for 24 hours (decisions §7). */
export const IdempotentCall = defineEntity({
  name: "idempotent_calls",
  properties: {
    account: () => p.manyToOne(Account).primary().deleteRule("cascade"),
    /** Method and path pattern of the call's endpoint, such as `POST /like`. */
    route: p.text().primary(),
    key_hash: p.text().primary(),
    /** Hash of the request body as a JSON value, independent of the order of its fields. */
    body_hash: p.text(),
    /** The answer or failure of the call as JSON; null while the call runs. */
    outcome: p.text().nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()").index(),
  },
});
