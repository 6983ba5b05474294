declare module "../context.ts" {
  interface Hub {
    /**
     * The NEAR blockchain. Null without NEAR_RPC_URLS; wallets are then pinned to the key that
     * bound them (decisions §4).
     */
    chain: ChainPort | null;
  }
}

/** The questions that the hub asks the blockchain (decisions §4). */
export interface ChainPort {
  /**
   * Checks whether the key has full access to the account. The answer is not cached.
   * @param account NEAR account name
   * @param publicKey `ed25519:<base58>`
   * @throws HubError `chain_unavailable` if no endpoint answers
   */
  hasFullAccess(account: string, publicKey: string): Promise<boolean>;
  /**
   * Checks whether the wallet owns a token of the NFT contract. A positive answer is cached for
   * 60 s, a negative one never.
   * @param freshMs maximum age of a cached answer in milliseconds; ignored if no endpoint answers
   * @throws HubError `chain_unavailable` if no endpoint answers and nothing is cached
   */
  ownsToken(wallet: string, contract: string, freshMs?: number): Promise<boolean>;
}
