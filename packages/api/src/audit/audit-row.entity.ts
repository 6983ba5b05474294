import { defineEntity, p } from "@mikro-orm/core";

/**
 * One action of the staff, the operator or the hub itself (0057). Rows are only appended, and the
 * oldest ones deleted after `RETAIN_AUDIT`.
 */
export const AuditRow = defineEntity({
  name: "audit_log",
  properties: {
    /** Counts without gaps from 1, in commit order. */
    id: p.bigint("number").primary().autoincrement(false),
    at: p.string().columnType("timestamptz"),
    /** `account:<id>`, `operator` or `hub`. */
    actor: p.text(),
    action: p.text(),
    /** The kind and the id of the changed thing, such as `soul:7`. */
    target: p.text(),
    /** JSON as text, since the hash covers each of its bytes. */
    detail: p.text(),
    /** The hash of the row before; 64 zeros in the first row. */
    previous_hash: p.text(),
    hash: p.text(),
  },
  indexes: [
    { name: "audit_log_actor_id_index", properties: ["actor", "id"] },
    { name: "audit_log_action_id_index", properties: ["action", "id"] },
  ],
});
