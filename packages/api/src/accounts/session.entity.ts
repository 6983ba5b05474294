import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../caller/account.entity.ts";

/** A login session (decisions §3). The token is stored as a hash only. */
export const Session = defineEntity({
  name: "sessions",
  properties: {
    token_hash: p.text().primary(),
    account: () => p.manyToOne(Account).index().deleteRule("cascade"),
    /** The browser, as `Firefox on Linux`; null if it is unknown (0059). */
    label: p.text().nullable(),
    /** Exact to the hour; null for a session of a release before 0059. */
    last_used_at: p.string().columnType("timestamptz").nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
