import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";

/**
 * Whether the caller's verified wallet owns a token of the contract (decisions §4, NFT gate). Which
 * wallet that is, is read each time, so that an answer kept for a wallet serves its holder alone.
 * Not within a transaction: the chain takes its time.
 * @param freshMs see ChainPort
 * @throws HubError `chain_unavailable`
 */
export async function ownsTokenOf(
  { hub, caller }: Pick<CallContext, "hub" | "caller">,
  contract: string,
  freshMs?: number,
): Promise<boolean> {
  if (!("account" in caller)) return false;
  const wallet = await hub.accounts.verifiedWallet(caller.account.id);
  // Nothing that the chain could say would help: it isn't asked.
  if (wallet === undefined) return false;
  if (!hub.chain) throw new HubError("chain_unavailable");
  return hub.chain.ownsToken(wallet, contract, freshMs);
}
