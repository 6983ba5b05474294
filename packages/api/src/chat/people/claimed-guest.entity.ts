import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../caller/account.entity.ts";

/** A guest whose rooms an account has taken along, which happens once (0077). */
export const ClaimedGuest = defineEntity({
  name: "claimed_guests",
  properties: {
    /** The participant id, `guest:<id>`. */
    guest: p.text().primary(),
    account: () => p.manyToOne(Account).index().deleteRule("cascade").updateRule("no action"),
    /** The newest quota hold at that time: the replies up to it go to the account. */
    holds_to: p.bigint("number"),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});
