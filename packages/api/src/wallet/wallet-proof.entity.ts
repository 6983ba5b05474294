import { defineEntity, p } from "@mikro-orm/core";

/** A used wallet proof. The hub accepts each proof once (decisions §4, Freshness). */
export const UsedWalletProof = defineEntity({
  name: "wallet_proofs",
  properties: {
    /** Id of the proof, see `proofId`. */
    id: p.text().primary(),
    /** Time from which the proof is refused as stale. */
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
