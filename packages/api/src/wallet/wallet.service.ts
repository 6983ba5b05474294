import { SESSION_SECONDS, startSession } from "../accounts/session.service.ts";
import type { AccountContext, CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { violatedConstraint } from "../db/violated-constraint.ts";
import { HubError } from "../errors.ts";
import { encodePublicKey } from "./proof-encoding.ts";
import { isSigned, type WalletProof } from "./signed-proof.ts";
import { assertUsable, useProof } from "./single-use.ts";

/**
 * Binds a wallet to the caller's account, for good (specification §3). What the chain confirms is
 * verified; without a chain the key alone is pinned, and a verified claim displaces it (decisions §4).
 * @throws HubError `invalid_wallet_proof`, `wallet_already_bound`, `wallet_in_use`, `chain_unavailable`
 */
export async function bindWallet(ctx: AccountContext, wallet: string, proof: WalletProof) {
  await assertProof(ctx, proof);
  // Conflicts come before other services (decisions §1); whether somebody else holds the wallet
  // is told only to who has proved that it is theirs.
  const own = await ctx.db
    .selectFrom("accounts")
    .select(["wallet", "wallet_verified"])
    .where("id", "=", ctx.caller.account.id)
    .executeTakeFirstOrThrow();
  assertMayBind(own, wallet, ctx);
  await assertKeyOf(ctx, wallet, proof);
  try {
    await ctx.db.transaction().execute(async (tx) => {
      await useProof(tx, proof);
      await bind(ctx, tx, wallet, encodePublicKey(proof.publicKey));
    });
  } catch (error) {
    // Two accounts claimed it at once: neither saw the other as its holder.
    if (violatedConstraint(error) === "accounts_wallet_unique") throw new HubError("wallet_in_use");
    throw error;
  }
  return { message: `The wallet ${wallet} is bound to your account, for good.` };
}

async function bind({ hub, caller }: AccountContext, tx: Db, wallet: string, key: string) {
  const { id } = caller.account;
  // In one order, so that two who displace each other don't wait for each other.
  const accounts = await tx
    .selectFrom("accounts")
    .select(["id", "wallet", "wallet_verified"])
    .where((either) => either.or([either("id", "=", id), either("wallet", "=", wallet)]))
    .orderBy("id")
    .forUpdate()
    .execute();
  for (const account of accounts) {
    if (account.id === id) {
      assertMayBind(account, wallet, { hub });
    } else if (account.wallet_verified || !hub.chain) {
      throw new HubError("wallet_in_use");
    } else {
      await tx
        .updateTable("accounts")
        .set({ wallet: null, wallet_key: null })
        .where("id", "=", account.id)
        .execute();
    }
  }
  await tx
    .updateTable("accounts")
    .set({ wallet, wallet_key: key, wallet_verified: hub.chain !== null })
    .where("id", "=", id)
    .execute();
}

/** Once and for good; only that a claim nobody could check is proved by its own account later. */
function assertMayBind(
  own: { wallet: string | null; wallet_verified: boolean },
  wallet: string,
  { hub }: Pick<CallContext, "hub">,
): void {
  const mayProveOwnClaim = hub.chain !== null && !own.wallet_verified && own.wallet === wallet;
  if (own.wallet !== null && !mayProveOwnClaim) throw new HubError("wallet_already_bound");
}

/**
 * Signs in with a bound wallet, for 30 days. An unknown wallet is answered like a wrong proof.
 * @throws HubError `invalid_wallet_proof`, `chain_unavailable`
 */
export async function loginWithWallet(ctx: CallContext, wallet: string, proof: WalletProof) {
  await assertProof(ctx, proof);
  await assertKeyOf(ctx, wallet, proof);
  const token = await ctx.db.transaction().execute(async (tx) => {
    await useProof(tx, proof);
    return startSession(tx, await accountOf(ctx, tx, wallet, encodePublicKey(proof.publicKey)));
  });
  ctx.setCookie("session", token, { maxAge: SESSION_SECONDS });
  return {};
}

/** The account that the wallet is bound to and that this key of the wallet opens. */
async function accountOf({ hub }: CallContext, tx: Db, wallet: string, key: string) {
  const account = await tx
    .selectFrom("accounts")
    .select(["id", "wallet_key", "wallet_verified"])
    .where("wallet", "=", wallet)
    .forUpdate()
    .executeTakeFirst();
  if (!account) throw new HubError("invalid_wallet_proof");
  const isVerified = hub.chain !== null && account.wallet_verified;
  // Where nobody ever checked the claim, the wallet's true owner must not land in the account of
  // whoever made it.
  if (!isVerified && account.wallet_key !== key) throw new HubError("invalid_wallet_proof");
  if (hub.chain && !isVerified) {
    await tx
      .updateTable("accounts")
      .set({ wallet_verified: true })
      .where("id", "=", account.id)
      .execute();
  }
  return account.id;
}

/** The cheap half of the proof: what needs no other service. */
async function assertProof({ hub, db }: CallContext, proof: WalletProof): Promise<void> {
  const isForUs =
    proof.envelope === null || proof.envelope.recipient === new URL(hub.config.baseUrl).host;
  if (!isForUs || !isSigned(proof)) throw new HubError("invalid_wallet_proof");
  await assertUsable(db, proof);
}

/** Without a chain any key may claim a wallet; login then takes the pinned one alone. */
async function assertKeyOf({ hub }: CallContext, wallet: string, { publicKey }: WalletProof) {
  if (hub.chain && !(await hub.chain.hasFullAccess(wallet, encodePublicKey(publicKey)))) {
    throw new HubError("invalid_wallet_proof");
  }
}
