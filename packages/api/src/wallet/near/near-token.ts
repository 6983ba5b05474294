import { type NearAnswer, type NearQuery, unreadable } from "./near-rpc.ts";

/** Supply of an NFT: a 128-bit integer as text, since it can exceed the safe integers of JavaScript. */
const SUPPLY = /^\d{1,39}$/;

/**
 * Asks one endpoint whether the wallet owns a token of the contract (NEP-181). Contracts without
 * `nft_supply_for_owner` are asked for one token instead. A missing contract, or one without both
 * methods, has no owners.
 * @throws Error if the endpoint or the contract gives no valid answer
 */
export async function ownsToken(query: NearQuery, wallet: string, contract: string) {
  const view = (method: string, args: object = {}) =>
    viewContract(query, contract, method, { account_id: wallet, ...args });
  const supply = await view("nft_supply_for_owner");
  if (supply) return isPositive(supply.value);
  const tokens = await view("nft_tokens_for_owner", { limit: 1 });
  return tokens !== null && listsOwnToken(tokens.value, wallet);
}

function isPositive(supply: unknown): boolean {
  if (typeof supply === "string" && SUPPLY.test(supply)) return /[1-9]/.test(supply);
  throw new Error("The contract returned no supply as a decimal string");
}

function listsOwnToken(tokens: unknown, wallet: string): boolean {
  if (Array.isArray(tokens)) {
    if (tokens.length === 0) return false;
    const token = tokens[0] as { token_id?: unknown; owner_id?: unknown } | null;
    // Compares the token's owner with the wallet, because some contracts ignore `account_id` and
    // list all tokens.
    if (typeof token?.token_id === "string" && token.owner_id === wallet) return true;
  }
  throw new Error("The contract returned no tokens of the owner");
}

/**
 * Calls a view method of a contract.
 * @returns the JSON value, or null if the method or the contract does not exist
 */
async function viewContract(
  query: NearQuery,
  contract: string,
  method: string,
  args: object,
): Promise<{ value: unknown } | null> {
  const answer = await query({
    request_type: "call_function",
    account_id: contract,
    method_name: method,
    args_base64: Buffer.from(JSON.stringify(args)).toString("base64"),
  });
  if (answer.kind === "found") return { value: JSON.parse(readBytes(answer)) };
  if (isMissing(answer, contract)) return null;
  throw unreadable(answer);
}

const MISSING_METHOD = /^(?:FunctionCallError\()?MethodResolveError\(MethodNotFound\)+$/;
const MISSING_CODE = /^(?:FunctionCallError\()?CompilationError\(CodeDoesNotExist \{[^{}]*\}\)+$/;

/**
 * Nodes report a missing contract or method by the cause or by a message of their virtual machine.
 * The patterns match whole messages, so that the error text of a contract cannot imitate them.
 */
function isMissing({ cause, text }: NearAnswer & { kind: "refusal" }, contract: string): boolean {
  if (cause === "UNKNOWN_ACCOUNT" || cause === "NO_CONTRACT_CODE") return true;
  if (cause !== "" && cause !== "CONTRACT_EXECUTION_ERROR") return false;
  if (text === `account ${contract} does not exist while viewing`) return true;
  const failure = text.replace(/^wasm execution failed with error: /, "");
  return MISSING_METHOD.test(failure) || MISSING_CODE.test(failure);
}

/** Decodes the result of a view method, which NEAR encodes as an array of byte values. */
function readBytes(answer: NearAnswer & { kind: "found" }): string {
  const { result: bytes } = answer.result;
  const isByte = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  if (Array.isArray(bytes) && bytes.every(isByte)) return Buffer.from(bytes).toString("utf8");
  throw unreadable(answer);
}
