import { defineEntity, p } from "@mikro-orm/core";
import type { TableOf } from "../db/database.ts";

declare module "../db/database.ts" {
  interface Tables {
    wallet_proofs: TableOf<typeof UsedWalletProof>;
  }
}

/** A used wallet proof. The hub accepts each proof once (decisions §4, Freshness). */
export const UsedWalletProof = defineEntity({
  name: "UsedWalletProof",
  tableName: "wallet_proofs",
  properties: {
    /** Id of the proof, see `proofId`. */
    id: p.text().primary(),
    /** Time from which the proof is refused as stale. */
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
