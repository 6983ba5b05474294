import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";

/**
 * Checks whether the caller's verified wallet owns a token of the contract (decisions §4, NFT gate).
 * Each call reads the wallet from the database; only the chain's answer per wallet is cached. Callers
 * hold no transaction open, because the chain can take seconds to answer.
 * @param freshMs maximum age of a cached answer, see {@link ChainPort.ownsToken}
 * @throws HubError `chain_unavailable`
 */
export async function ownsTokenOf(
  { hub, caller }: Pick<CallContext, "hub" | "caller">,
  contract: string,
  freshMs?: number,
): Promise<boolean> {
  if (!("account" in caller)) return false;
  const wallet = await hub.accounts.verifiedWallet(caller.account.id);
  if (wallet === undefined) return false;
  if (!hub.chain) throw new HubError("chain_unavailable");
  return hub.chain.ownsToken(wallet, contract, freshMs);
}
