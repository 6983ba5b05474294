/** A view method of a NEAR contract. It returns a JSON value or raw bytes, or throws. */
export type ViewMethod = (args: Readonly<Record<string, unknown>>) => unknown;

/** The ways in which the call of a contract's view method can fail on a NEAR node. */
export type ViewFailure =
  | { kind: "no account" }
  | { kind: "no code" }
  | { kind: "execution"; error: string };

/** Calls a view method as a NEAR node does. Returns the bytes of the result, or the failure. */
export function callView(
  methods: Readonly<Record<string, ViewMethod>> | undefined,
  name: string,
  argsBase64: string,
): number[] | ViewFailure {
  if (!methods) return { kind: "no code" };
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) return { kind: "execution", error: "MethodResolveError(MethodNotFound)" };
  try {
    const value = method(JSON.parse(Buffer.from(argsBase64, "base64").toString()));
    return [...(value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value)))];
  } catch (error) {
    const message = JSON.stringify((error as Error).message);
    return { kind: "execution", error: `HostError(GuestPanic { panic_msg: ${message} })` };
  }
}

/** An NFT contract (NEP-171, NEP-181). Tests give its tokens to accounts and take them away. */
export interface TestNft {
  methods: Record<string, ViewMethod>;
  give(owner: string, tokens?: bigint): void;
  take(owner: string): void;
}

/** @param enumeration the enumeration methods of NEP-181 that the contract implements */
export function createNft(
  enumeration: readonly ("supply" | "tokens")[] = ["supply", "tokens"],
): TestNft {
  const owned = new Map<string, bigint>();
  const has = ({ account_id }: { account_id?: unknown }) => owned.get(String(account_id)) ?? 0n;
  const supply: ViewMethod = (args) => has(args).toString();
  const tokens: ViewMethod = (args) =>
    Array.from({ length: Math.min(Number(has(args)), Number(args.limit ?? 50)) }, (_, n) => ({
      token_id: `token-${n}`,
      owner_id: args.account_id,
      metadata: { title: "A token", media: null },
    }));
  return {
    methods: {
      nft_metadata: () => ({ spec: "nft-1.0.0", name: "Tokens", symbol: "TOK" }),
      ...(enumeration.includes("supply") ? { nft_supply_for_owner: supply } : {}),
      ...(enumeration.includes("tokens") ? { nft_tokens_for_owner: tokens } : {}),
    },
    give: (owner, count = 1n) => void owned.set(owner, count),
    take: (owner) => void owned.delete(owner),
  };
}
