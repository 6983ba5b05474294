import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { HubError } from "../errors.ts";
import { proofId, signedAtMs, type WalletProof } from "./signed-proof.ts";

// Limits for the timestamp of a wallet proof (decisions §4, Freshness).
const MAX_AGE_SECONDS = 300;
const MAX_AHEAD_SECONDS = 60;

const signedAt = (proof: WalletProof) =>
  sql<string>`to_timestamp(${signedAtMs(proof)}::float8 / 1000)`;

/**
 * Rejects stale, future and used proofs before the slower checks. Of concurrent uses of one proof,
 * {@link consumeProof} rejects all but one.
 * @throws HubError `invalid_wallet_proof`
 */
export async function assertUsable(db: Db, proof: WalletProof): Promise<void> {
  const { rows } = await sql<{ usable: boolean }>`
    select ${signedAt(proof)} between hub_now() - make_interval(secs => ${MAX_AGE_SECONDS})
        and hub_now() + make_interval(secs => ${MAX_AHEAD_SECONDS})
      and not exists (select from wallet_proofs where id = ${proofId(proof)}) as usable`.execute(
    db,
  );
  if (!rows[0]?.usable) throw new HubError("invalid_wallet_proof");
}

/**
 * Records the proof as used, in the transaction that the proof authorizes. Of concurrent requests
 * with the same proof one succeeds. If the transaction fails, the proof remains usable.
 * @throws HubError `invalid_wallet_proof` if the proof was used before
 */
export async function consumeProof(tx: Db, proof: WalletProof): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("wallet_proofs")
    .values({
      id: proofId(proof),
      expires_at: sql<string>`${signedAt(proof)} + make_interval(secs => ${MAX_AGE_SECONDS})`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows) throw new HubError("invalid_wallet_proof");
}
