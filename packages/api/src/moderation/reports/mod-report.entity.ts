import { defineEntity, p } from "@mikro-orm/core";
import { ModCase } from "../cases/mod-case.entity.ts";

/** One participant's report of a case's target (0062). */
export const ModReport = defineEntity({
  name: "mod_reports",
  properties: {
    id: p.bigint("number").primary(),
    case: () => p.manyToOne(ModCase).deleteRule("cascade").updateRule("no action").index(false),
    /** `account:<id>` or `guest:<id>`. */
    reporter: p.text(),
    reporter_name: p.text(),
    reason: p.text(),
    note: p.text(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  uniques: [{ name: "mod_reports_case_id_reporter_unique", properties: ["case", "reporter"] }],
  indexes: [{ name: "mod_reports_reporter_id_index", properties: ["reporter", "id"] }],
});
