import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../caller/account.entity.ts";

/** One account keeps another one away from its souls and rooms (0064). */
export const Block = defineEntity({
  name: "blocks",
  properties: {
    blocker: () => p.manyToOne(Account).primary().deleteRule("cascade").updateRule("no action"),
    blocked: () =>
      p.manyToOne(Account).primary().index().deleteRule("cascade").updateRule("no action"),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});
