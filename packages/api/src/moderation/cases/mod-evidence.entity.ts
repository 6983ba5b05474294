import { defineEntity, p } from "@mikro-orm/core";
import type { TableOf } from "../../db/database.ts";
import { ModCase } from "./mod-case.entity.ts";

declare module "../../db/database.ts" {
  interface Tables {
    mod_evidence: TableOf<typeof ModEvidence>;
  }
}

/** A sealed text of a case: the reported or the removed text (0062). */
export const ModEvidence = defineEntity({
  name: "ModEvidence",
  tableName: "mod_evidence",
  properties: {
    id: p.bigint("number").primary(),
    case: () => p.manyToOne(ModCase).deleteRule("cascade").updateRule("no action").index(false),
    kind: p.text(),
    /** A keyed hash of the text, so that a case holds equal texts once. */
    mac: p.text(),
    sealed: p.text(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  uniques: [{ name: "mod_evidence_case_id_mac_unique", properties: ["case", "mac"] }],
  checks: [{ name: "mod_evidence_kind_check", expression: "kind in ('reported', 'removed')" }],
});
