import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { HubError } from "../../errors.ts";
import type { ChainPort } from "../chain-port.ts";
import { decodePublicKey } from "../proof-encoding.ts";
import { type NearAnswer, type NearQuery, queryNear, unreadable } from "./near-rpc.ts";
import { ownsToken } from "./near-token.ts";

export interface NearChainOptions {
  /** URLs of the JSON-RPC endpoints, tried in this order until one answers. */
  urls: readonly string[];
  log: Logger;
  /** Returns the current time in milliseconds, from a monotonic clock. */
  now?: () => number;
  /** Time limit per endpoint in milliseconds; the default is 3 s (decisions §4). */
  timeoutMs?: number;
}

/** Lifetime of the cached answer that a wallet owns a token (decisions §4, NFT gate). */
const OWNED_MS = 60_000;
/** Maximum number of cached pairs of wallet and contract. They take one to two megabytes. */
const MAX_OWNED = 10_000;

/** Queries NEAR over JSON-RPC. A failed call never counts as a positive answer (decisions §4). */
export function createNearChain({
  urls,
  log,
  now = () => performance.now(),
  timeoutMs = 3_000,
}: NearChainOptions): ChainPort {
  const pending = new Map<string, Promise<boolean>>();
  /** Cached positive answers of `ownsToken`, each with the time of its query in milliseconds. */
  const owned = new LRUCache<string, number>({ max: MAX_OWNED });

  /** Identical concurrent queries share one call, because the operator pays for each. */
  function shared(question: string, ask: () => Promise<boolean>): Promise<boolean> {
    const running = pending.get(question) ?? ask().finally(() => pending.delete(question));
    pending.set(question, running);
    return running;
  }

  async function askOwner(question: string, wallet: string, contract: string): Promise<boolean> {
    const askedAt = now();
    try {
      const isOwner = await firstAnswer((query) => ownsToken(query, wallet, contract));
      if (isOwner) owned.set(question, askedAt);
      else owned.delete(question);
      return isOwner;
    } catch (error) {
      // While every endpoint fails, a cached answer is valid for its full lifetime, regardless of
      // `freshMs`.
      if (ageOf(question) < OWNED_MS) return true;
      throw error;
    }
  }

  const ageOf = (question: string) => now() - (owned.get(question) ?? Number.NEGATIVE_INFINITY);

  async function firstAnswer(ask: (query: NearQuery) => Promise<boolean>): Promise<boolean> {
    const reasons: unknown[] = [];
    for (const url of urls) {
      try {
        return await ask((params) => queryNear(url, params, timeoutMs));
      } catch (error) {
        // Only the host is logged: the rest of the URL may contain the operator's API key.
        log.warn({ err: error, host: new URL(url).host }, "A NEAR endpoint did not answer");
        reasons.push(error);
      }
    }
    throw new HubError("chain_unavailable", { cause: new AggregateError(reasons) });
  }

  return {
    hasFullAccess: (account, publicKey) =>
      shared(`key ${account} ${publicKey}`, () =>
        firstAnswer((query) => hasFullAccess(query, account, publicKey)),
      ),
    async ownsToken(wallet, contract, freshMs = OWNED_MS) {
      const question = `token ${wallet} ${contract}`;
      if (ageOf(question) < Math.min(freshMs, OWNED_MS)) return true;
      return shared(question, () => askOwner(question, wallet, contract));
    },
  };
}

async function hasFullAccess(query: NearQuery, account: string, publicKey: string) {
  const key = await query({
    request_type: "view_access_key",
    account_id: account,
    public_key: publicKey,
  });
  const found = readAccessKey(key, account);
  if (found === "full-access") return true;
  // An implicit account does not exist on the chain before its first transaction. Until then, the
  // key that it is named after has full access.
  if (found === "limited" || account !== implicitAccount(publicKey)) return false;
  if (found === "no-account") return true;
  // Older nodes report a missing key even if the account is missing. If the account exists, the key
  // was removed from it.
  const queried = await query({ request_type: "view_account", account_id: account });
  if (queried.kind === "found" && typeof queried.result.amount === "string") return false;
  if (isMissingAccount(queried, account)) return true;
  throw unreadable(queried);
}

type AccessKeyAnswer = "full-access" | "limited" | "no-key" | "no-account";

/** Reads the answer to `view_access_key`. @throws Error if it does not tell whether the key exists */
function readAccessKey(answer: NearAnswer, account: string): AccessKeyAnswer {
  if (answer.kind === "found") {
    const { permission } = answer.result;
    if (permission === "FullAccess") return "full-access";
    if (permission) return "limited";
    throw unreadable(answer);
  }
  if (isMissingAccount(answer, account)) return "no-account";
  const isMissingKey =
    answer.cause === "UNKNOWN_ACCESS_KEY" ||
    /^access key \S+ does not exist while viewing/i.test(answer.text);
  if (isMissingKey) return "no-key";
  throw unreadable(answer);
}

const isMissingAccount = (answer: NearAnswer, account: string): boolean =>
  answer.kind === "refusal" &&
  (answer.cause === "UNKNOWN_ACCOUNT" ||
    answer.text === `account ${account} does not exist while viewing`);

/** Name of the implicit account of a public key: the 32 bytes of the key in hex. */
const implicitAccount = (publicKey: string): string =>
  Buffer.from(decodePublicKey(publicKey) ?? []).toString("hex");
