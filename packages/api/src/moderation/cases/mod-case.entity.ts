import { defineEntity, p } from "@mikro-orm/core";

/** What staff decide about one target (0062). The ids are no foreign keys: a case outlives them. */
export const ModCase = defineEntity({
  name: "mod_cases",
  properties: {
    id: p.bigint("number").primary(),
    /** Counts the changes by staff and by the author's appeal. */
    revision: p.integer().default(1),
    state: p.text().default("open"),
    kind: p.text(),
    /** The target's kind and id, as in the audit log. At most one case of a target is open. */
    target: p.text(),
    soul_id: p.bigint("number").nullable().index(),
    room_id: p.bigint("number").nullable().index(),
    message_id: p.bigint("number").nullable(),
    /** The account that is answerable; null for a guest, or for a reply of a soul. */
    account_id: p.bigint("number").nullable(),
    opened_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  uniques: [{ name: "mod_cases_open_index", properties: ["target"], where: "state = 'open'" }],
  indexes: [{ name: "mod_cases_state_id_index", properties: ["state", "id"] }],
  checks: [
    { name: "mod_cases_state_check", expression: "state in ('open', 'appealed', 'closed')" },
    { name: "mod_cases_kind_check", expression: "kind in ('soul', 'message', 'person', 'room')" },
  ],
});
