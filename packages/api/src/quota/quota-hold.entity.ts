import { defineEntity, p } from "@mikro-orm/core";

/**
 * Units taken before the provider is called. Deleting the row is what settles it or gives it back,
 * so neither can happen twice; the function store_exchange does so together with the messages, and
 * writes none without it. What a crash leaves is swept after expires_at.
 */
export const QuotaHold = defineEntity({
  name: "QuotaHold",
  tableName: "quota_holds",
  properties: {
    id: p.bigint("number").primary(),
    subject: p.text(),
    /** A guest is counted per session and per IP at once. */
    ip_subject: p.text().nullable(),
    day: p.string().columnType("date"),
    units: p.integer(),
    premium_units: p.integer(),
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
