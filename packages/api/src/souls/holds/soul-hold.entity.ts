import { defineEntity, p } from "@mikro-orm/core";
import type { TableOf } from "../../db/database.ts";
import { Soul } from "../soul.entity.ts";

declare module "../../db/database.ts" {
  interface Tables {
    soul_holds: TableOf<typeof SoulHold>;
  }
}

/** Why a soul is hidden although its author did not hide it (0061). */
export type HoldKind = "moderation" | "suspension" | "deletion";

/** A hold keeps a soul private, whatever its author sets (0061). */
export const SoulHold = defineEntity({
  name: "SoulHold",
  tableName: "soul_holds",
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
