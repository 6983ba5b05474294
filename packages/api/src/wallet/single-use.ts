import { sql } from "kysely";
import type { Db } from "../db/entities.ts";
import { HubError } from "../errors.ts";
import { proofId, signedAtMs, type WalletProof } from "./signed-proof.ts";

// Decisions §4: at most 5 minutes old, at most 60 seconds ahead.
const MAX_AGE_SECONDS = 300;
const MAX_AHEAD_SECONDS = 60;
/**
 * How long a used proof is kept beyond its end: a call that came in fresh may have to wait for the
 * chain, and must not find that its use was forgotten meanwhile.
 */
const KEPT_SECONDS = 3_600;

const signedAt = (proof: WalletProof) =>
  sql<string>`to_timestamp(${signedAtMs(proof)}::float8 / 1000)`;

/**
 * A first look, before anybody else is asked; what counts is {@link useProof}.
 * @throws HubError `invalid_wallet_proof` for a proof that is stale, ahead of time or used
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
 * Uses the proof up. In the transaction of what it is good for: of many at once one comes through,
 * and where that fails the proof can be used again.
 * @throws HubError `invalid_wallet_proof` when it was used before
 */
export async function useProof(tx: Db, proof: WalletProof): Promise<void> {
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

/** Forgets used proofs that their stamp alone refuses by now. */
export async function sweepUsedProofs(db: Db): Promise<void> {
  await db
    .deleteFrom("wallet_proofs")
    .where("expires_at", "<", sql<string>`hub_now() - make_interval(secs => ${KEPT_SECONDS})`)
    .execute();
}
