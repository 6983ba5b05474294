import { defineEntity, p } from "@mikro-orm/core";

/**
 * Quota units that one subject has used on one UTC day, including its quota holds (decisions §5).
 */
export const QuotaDay = defineEntity({
  name: "quota_days",
  properties: {
    /**
     * The account, guest or hashed IP address that used the units: `account:<id>`, `guest:<id>` or
     * `ip:<hash>`.
     */
    subject: p.text().primary(),
    day: p.string().columnType("date").primary(),
    used: p.integer().default(0),
    premium_used: p.integer().default(0),
  },
  checks: [{ name: "quota_days_used_check", expression: "used >= 0 and premium_used >= 0" }],
});

/**
 * Quota units reserved before the model is called (0023). A hold is settled or refunded by deleting
 * its row, which can happen only once. `store_held_reply` deletes the row when it stores the
 * messages, and stores nothing without the row. The sweeper refunds holds of crashed servers after
 * `expires_at`.
 */
export const QuotaHold = defineEntity({
  name: "quota_holds",
  properties: {
    id: p.bigint("number").primary(),
    subject: p.text(),
    /** Key of the quota counter for a guest's IP address, `ip:<hash>`. Null for accounts. */
    ip_subject: p.text().nullable(),
    day: p.string().columnType("date"),
    units: p.integer(),
    premium_units: p.integer(),
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
