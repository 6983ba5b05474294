import { defineEntity, p } from "@mikro-orm/core";
import { ModCase } from "../cases/mod-case.entity.ts";

/** A decision about a case, which is also the notice of the account concerned (0062). */
export const ModDecision = defineEntity({
  name: "mod_decisions",
  properties: {
    id: p.bigint("number").primary(),
    case: () => p.manyToOne(ModCase).index().deleteRule("cascade").updateRule("no action"),
    account_id: p.bigint("number").nullable(),
    action: p.text(),
    reason: p.text(),
    /** The message to the account concerned. */
    message: p.text(),
    /** `account:<id>` or `operator`. */
    decided_by: p.text(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    /** The end of a suspension or silence; null for one without end, and for other actions. */
    until: p.string().columnType("timestamptz").nullable(),
    appeal_until: p.string().columnType("timestamptz"),
    /** When a restore ended the effect. */
    undone_at: p.string().columnType("timestamptz").nullable(),
    appeal_text: p.text().nullable(),
    appealed_at: p.string().columnType("timestamptz").nullable(),
    /** `upheld` or `restored`; null until the appeal is decided. */
    appeal_outcome: p.text().nullable(),
  },
  indexes: [{ name: "mod_decisions_account_id_id_index", properties: ["account_id", "id"] }],
});
