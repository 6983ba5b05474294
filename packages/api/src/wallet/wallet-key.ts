import type { AccountContext } from "../caller/caller.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { encodePublicKey } from "./proof-encoding.ts";
import { type SignedText, validSignature } from "./signed-proof.ts";

type Hub = Pick<CallContext, "hub">;

/** The host of BASE_URL, with its port if it has one. Wallets sign for this recipient. */
export const hubHost = ({ hub }: Hub): string => new URL(hub.config.baseUrl).host;

/**
 * Checks recipient and signature of a text, without the chain.
 * @returns the valid decoding of the signature
 * @throws HubError `invalid_wallet_proof`
 */
export function assertSigned(ctx: Hub, signed: SignedText): Uint8Array {
  const isForThisHub = signed.envelope === null || signed.envelope.recipient === hubHost(ctx);
  const signature = isForThisHub ? validSignature(signed) : undefined;
  if (!signature) throw new HubError("invalid_wallet_proof");
  return signature;
}

/** The columns of an account that decide about the keys of its wallet. */
export interface WalletBinding {
  wallet_key: string | null;
  wallet_verified: boolean;
}

/**
 * Reads the wallet that is bound to the caller's account.
 * @throws HubError `wallet_required`
 */
export async function ownWallet({ db, caller }: AccountContext) {
  const { wallet, ...binding } = await db
    .selectFrom("accounts")
    .select(["wallet", "wallet_key", "wallet_verified"])
    .where("id", "=", caller.account.id)
    .executeTakeFirstOrThrow();
  if (wallet === null) throw new HubError("wallet_required");
  return { wallet, ...binding };
}

/** Tells whether the chain has confirmed a binding and is there to confirm further keys. */
export const isVerified = ({ hub }: Hub, { wallet_verified }: WalletBinding): boolean =>
  hub.chain !== null && wallet_verified;

/**
 * Refuses other keys than the one that pinned a wallet. A caller may have pinned the name of another
 * person's wallet, whose owner must not act for the caller's account.
 * @throws HubError `invalid_wallet_proof`
 */
export function assertNotOtherPin(ctx: Hub, binding: WalletBinding, publicKey: Uint8Array): void {
  if (isVerified(ctx, binding) || binding.wallet_key === encodePublicKey(publicKey)) return;
  throw new HubError("invalid_wallet_proof");
}

/**
 * Asks the chain whether the key belongs to the wallet. Without a chain every key passes this check.
 * @throws HubError `invalid_wallet_proof`, `chain_unavailable`
 */
export async function assertKeyOf({ hub }: Hub, wallet: string, publicKey: Uint8Array) {
  if (hub.chain && !(await hub.chain.hasFullAccess(wallet, encodePublicKey(publicKey)))) {
    throw new HubError("invalid_wallet_proof");
  }
}
