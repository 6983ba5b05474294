import { defineEntity, p } from "@mikro-orm/core";

/** A proof that has been used and would still be fresh: it works once (decisions §4). */
export const UsedWalletProof = defineEntity({
  name: "UsedWalletProof",
  tableName: "wallet_proofs",
  properties: {
    /** Hash of the decoded public key, the message and the nonce. */
    id: p.text().primary(),
    /** Past this its stamp alone refuses it. */
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
