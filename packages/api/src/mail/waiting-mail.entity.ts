import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../caller/account.entity.ts";

/** A mail that the SMTP server has not taken yet (0059). It is deleted with its account. */
export const WaitingMail = defineEntity({
  name: "waiting_mails",
  properties: {
    id: p.bigint("number").primary(),
    account: () => p.manyToOne(Account).index().deleteRule("cascade").updateRule("no action"),
    /** Address, name and content. The content may hold the tokens of links. */
    sealed: p.text(),
    tries: p.integer().default(0),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    next_try_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});
