/** The chain, as far as the hub asks it (decisions §4). Null in a hub that knows none. */
export interface ChainPort {
  /**
   * Whether the key may do everything in the name of the account. Only a positive answer is true.
   * @param publicKey `ed25519:<base58>`
   * @throws HubError `chain_unavailable` when nobody gives an answer
   */
  hasFullAccess(account: string, publicKey: string): Promise<boolean>;
  /**
   * Whether the wallet owns a token of the NFT contract. Only a positive answer is true. A yes is
   * kept for 60 s, a no never.
   * @param freshMs takes no kept yes that is older, unless the chain can't be asked
   * @throws HubError `chain_unavailable` when nobody gives an answer
   */
  ownsToken(wallet: string, contract: string, freshMs?: number): Promise<boolean>;
}
