import type { Logger } from "pino";
import { HubError } from "../errors.ts";
import type { ChainPort } from "./chain-port.ts";
import { createKeptAnswers } from "./kept-answers.ts";
import { type NearAnswer, queryNear, unreadable } from "./near-rpc.ts";
import { ownsToken } from "./near-token.ts";
import { decodePublicKey } from "./proof-encoding.ts";

export interface NearChainOptions {
  /** JSON-RPC endpoints, asked in this order until one answers. */
  urls: readonly string[];
  log: Logger;
  /** Milliseconds, monotonic. */
  now?: () => number;
}

/** Decisions §4, NFT gate. */
const KEEP_YES_MS = 60_000;
/** Wallets and contracts whose yes is kept: a megabyte or two. */
const MAX_KEPT = 10_000;

/** NEAR over JSON-RPC. What can't be answered is never a yes (decisions §4). */
export function createNearChain({
  urls,
  log,
  now = () => performance.now(),
}: NearChainOptions): ChainPort {
  // Who gets into an account is asked each time.
  const keys = createKeptAnswers({ keepMs: 0, max: 0, now });
  const tokens = createKeptAnswers({ keepMs: KEEP_YES_MS, max: MAX_KEPT, now });

  async function firstAnswer(ask: (url: string) => Promise<boolean>): Promise<boolean> {
    const reasons: unknown[] = [];
    for (const url of urls) {
      try {
        return await ask(url);
      } catch (error) {
        // The host alone: the rest of an address may hold the operator's key.
        log.warn({ err: error, host: new URL(url).host }, "a NEAR endpoint can't answer");
        reasons.push(error);
      }
    }
    throw new HubError("chain_unavailable", { cause: new AggregateError(reasons) });
  }

  return {
    hasFullAccess: (account, publicKey) =>
      keys(`${account} ${publicKey}`, () =>
        firstAnswer((url) => hasFullAccess(url, account, publicKey)),
      ),
    ownsToken: (wallet, contract, freshMs) =>
      tokens(
        `${wallet} ${contract}`,
        () => firstAnswer((url) => ownsToken(url, wallet, contract)),
        freshMs,
      ),
  };
}

async function hasFullAccess(url: string, account: string, publicKey: string): Promise<boolean> {
  const key = await queryNear(url, {
    request_type: "view_access_key",
    account_id: account,
    public_key: publicKey,
  });
  const found = readAccessKey(key, account);
  if (found === "full-access") return true;
  // The account of a key that never acted on the chain is not there yet.
  if (found === "limited" || account !== implicitAccount(publicKey)) return false;
  if (found === "no-account") return true;
  // Older nodes say "no key" of an account that is not there, too. Of one that is, the key was removed.
  const queried = await queryNear(url, { request_type: "view_account", account_id: account });
  if (queried.kind === "found" && typeof queried.result.amount === "string") return false;
  if (isMissingAccount(queried, account)) return true;
  throw unreadable(queried);
}

type AccessKeyAnswer = "full-access" | "limited" | "no-key" | "no-account";

/** @throws Error for anything that doesn't say whether the key is there */
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

/** The account that a key has without anybody having made it: the key itself in hex. */
const implicitAccount = (publicKey: string): string =>
  Buffer.from(decodePublicKey(publicKey) ?? []).toString("hex");
