import { defineEntity, p } from "@mikro-orm/core";

/** An invite to register (0058). Its code is stored as a hash only. A withdrawn one has no row. */
export const Invite = defineEntity({
  name: "invites",
  properties: {
    id: p.bigint("number").primary(),
    code_hash: p.text().unique(),
    /** Number of accounts that may register. */
    uses: p.integer(),
    /** Number of accounts that have registered. */
    used: p.integer().default(0),
    note: p.text().default(""),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    expires_at: p.string().columnType("timestamptz"),
  },
});
