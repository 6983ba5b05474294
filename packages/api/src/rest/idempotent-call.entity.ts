import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../accounts/account.entity.ts";

/** A call that was made with an Idempotency-Key (decisions §7): its answer, for 24 hours. */
export const IdempotentCall = defineEntity({
  name: "IdempotentCall",
  tableName: "idempotent_calls",
  properties: {
    account: () => p.manyToOne(Account).primary().deleteRule("cascade"),
    /** Method and path pattern, such as `POST /like`. */
    route: p.text().primary(),
    key_hash: p.text().primary(),
    /** Of the body as a JSON value: the order of its fields does not matter. */
    body_hash: p.text(),
    /** The JSON of what was answered; null while the call runs. */
    outcome: p.text().nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()").index(),
  },
});
