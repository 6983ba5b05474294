import { defineEntity, p } from "@mikro-orm/core";

/** What one subject (account, guest or hashed IP) has used of one UTC day, holds included (decisions §5). */
export const QuotaDay = defineEntity({
  name: "QuotaDay",
  tableName: "quota_days",
  properties: {
    /** `account:<id>`, `guest:<id>` or `ip:<hash>`. */
    subject: p.text().primary(),
    day: p.string().columnType("date").primary(),
    used: p.integer().default(0),
    premium_used: p.integer().default(0),
  },
  checks: [{ name: "quota_days_used_check", expression: "used >= 0 and premium_used >= 0" }],
});
