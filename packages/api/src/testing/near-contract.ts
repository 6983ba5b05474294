/** What a view method returns by its arguments: a JSON value, or bytes as they are. It fails by throwing. */
export type ViewMethod = (args: Readonly<Record<string, unknown>>) => unknown;

/** How a node says that a contract could not answer. */
export type ViewFailure =
  | { kind: "no account" }
  | { kind: "no code" }
  | { kind: "execution"; error: string };

/** A contract as a node runs it. */
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
    const words = JSON.stringify((error as Error).message);
    return { kind: "execution", error: `HostError(GuestPanic { panic_msg: ${words} })` };
  }
}

/** An NFT contract (NEP-171, 181) whose tokens change hands. */
export interface TestNft {
  methods: Record<string, ViewMethod>;
  give(owner: string, tokens?: bigint): void;
  take(owner: string): void;
}

/** @param enumerates by which method it says who owns what */
export function createNft(
  enumerates: readonly ("supply" | "tokens")[] = ["supply", "tokens"],
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
      ...(enumerates.includes("supply") ? { nft_supply_for_owner: supply } : {}),
      ...(enumerates.includes("tokens") ? { nft_tokens_for_owner: tokens } : {}),
    },
    give: (owner, count = 1n) => void owned.set(owner, count),
    take: (owner) => void owned.delete(owner),
  };
}
