import { defineEntity, p } from "@mikro-orm/core";
import { ModCase } from "./mod-case.entity.ts";

/** A sealed text of a case: the reported or the removed text (0062). */
export const ModEvidence = defineEntity({
  name: "mod_evidence",
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
