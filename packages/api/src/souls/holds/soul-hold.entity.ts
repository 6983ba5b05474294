import { defineEntity, p } from "@mikro-orm/core";
import { Soul } from "../soul.entity.ts";

/** Why a soul is hidden although its author did not hide it (0061). */
export type HoldKind = "moderation" | "suspension" | "deletion";

/** A hold keeps a soul private, whatever its author sets (0061). */
export const SoulHold = defineEntity({
  name: "soul_holds",
  properties: {
    soul: () => p.manyToOne(Soul).primary().deleteRule("cascade").updateRule("no action"),
    kind: p.text().primary(),
    /** The `is_public` that the soul had before its first hold, and gets back after its last. */
    was_public: p.smallint(),
  },
  checks: [
    {
      name: "soul_holds_kind_check",
      expression: "kind in ('moderation', 'suspension', 'deletion')",
    },
  ],
});
