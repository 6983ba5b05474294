import { countGuestRooms } from "../accounts/guests/guest-rooms.ts";
import { countLogin } from "../accounts/proof/count-login.ts";
import { SESSION_SECONDS, startSession } from "../accounts/session.service.ts";
import { effectiveRestriction } from "../accounts/standing/standing.queries.ts";
import { suspended } from "../caller/assert-standing.ts";
import type { AccountContext } from "../caller/caller.ts";
import type { CallContext } from "../context.ts";
import type { Db } from "../db/database.ts";
import { onViolation } from "../db/database-errors.ts";
import { HubError } from "../errors.ts";
import { encodePublicKey } from "./proof-encoding.ts";
import { assertUsable, consumeProof } from "./proof-replay.ts";
import type { WalletProof } from "./signed-proof.ts";
import { assertKeyOf, assertNotOtherPin, assertSigned, isVerified } from "./wallet-key.ts";

/**
 * Binds a wallet to the caller's account permanently (specification §3). With a chain the binding is
 * verified. Without one the key is pinned, and a later verified binding displaces it (decisions §4).
 * @throws HubError `invalid_wallet_proof`, `wallet_already_bound`, `wallet_in_use`, `chain_unavailable`
 */
export async function bindWallet(ctx: AccountContext, wallet: string, proof: WalletProof) {
  await assertProof(ctx, proof);
  // Conflicts are reported before the chain is asked (decisions §1). Only callers whose key the chain
  // confirms learn that another account holds the wallet.
  const own = await ctx.db
    .selectFrom("accounts")
    .select(["wallet", "wallet_verified"])
    .where("id", "=", ctx.caller.account.id)
    .executeTakeFirstOrThrow();
  assertMayBind(own, wallet, ctx);
  await assertKeyOf(ctx, wallet, proof.publicKey);
  const binding = ctx.db.transaction().execute(async (tx) => {
    await consumeProof(tx, proof);
    await bind(ctx, tx, wallet, encodePublicKey(proof.publicKey));
  });
  // A concurrent request may have bound the same wallet to another account.
  await binding.catch(onViolation("accounts_wallet_unique", "wallet_in_use"));
  return { message: `The wallet ${wallet} is permanently bound to your account.` };
}

async function bind({ hub, caller }: AccountContext, tx: Db, wallet: string, key: string) {
  const { id } = caller.account;
  // Locks accounts in the order of their ids. Otherwise two accounts that displace each other could
  // deadlock.
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

/**
 * Refuses to bind another wallet, because a binding is permanent. An account may only verify its own
 * pinned wallet, once the hub has a chain.
 * @throws HubError `wallet_already_bound`
 */
function assertMayBind(
  own: { wallet: string | null; wallet_verified: boolean },
  wallet: string,
  { hub }: Pick<CallContext, "hub">,
): void {
  const verifiesOwn = hub.chain !== null && !own.wallet_verified && own.wallet === wallet;
  if (own.wallet !== null && !verifiesOwn) throw new HubError("wallet_already_bound");
}

/**
 * Logs in with a bound wallet and starts a session of 30 days (specification §4.1). An unknown wallet
 * fails like an invalid proof.
 * @throws HubError `invalid_wallet_proof`, `chain_unavailable`, `account_suspended`, `account_deleting`
 */
export const loginWithWallet = (ctx: CallContext, wallet: string, proof: WalletProof) =>
  countLogin(ctx, "wallet", () => signIn(ctx, wallet, proof));

async function signIn(ctx: CallContext, wallet: string, proof: WalletProof) {
  await assertProof(ctx, proof);
  await assertKeyOf(ctx, wallet, proof.publicKey);
  const token = await ctx.db.transaction().execute(async (tx) => {
    await consumeProof(tx, proof);
    const accountId = await accountOf(ctx, tx, wallet, proof.publicKey);
    return startSession(tx, accountId, ctx.userAgent);
  });
  ctx.setCookie("session", token, { maxAge: SESSION_SECONDS });
  return countGuestRooms(ctx);
}

/**
 * Finds the account that is bound to the wallet and accepts this key. A login with a key that the
 * chain has confirmed verifies a pinned wallet.
 * @returns the id of the account
 */
async function accountOf(ctx: CallContext, tx: Db, wallet: string, publicKey: Uint8Array) {
  const account = await tx
    .selectFrom("accounts")
    .select(["id", "wallet_key", "wallet_verified"])
    .select(effectiveRestriction("suspension").as("suspension"))
    .where("wallet", "=", wallet)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new HubError("invalid_wallet_proof"));
  assertNotOtherPin(ctx, account, publicKey);
  // A suspended account signs in with its password or a passkey alone (0057).
  if (account.suspension) throw suspended(account.suspension);
  if (ctx.hub.chain && !isVerified(ctx, account)) {
    await tx
      .updateTable("accounts")
      .set({ wallet_verified: true })
      .where("id", "=", account.id)
      .execute();
  }
  return account.id;
}

/** Checks recipient, signature, freshness and reuse of a proof, all without the chain. */
async function assertProof(ctx: CallContext, proof: WalletProof): Promise<void> {
  assertSigned(ctx, proof);
  await assertUsable(ctx.db, proof);
}
