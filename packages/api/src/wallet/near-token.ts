import { type NearAnswer, queryNear, unreadable } from "./near-rpc.ts";

/** An unsigned number of 128 bits, as text: it may be beyond what a JavaScript number holds. */
const SUPPLY = /^\d{1,39}$/;

/**
 * Whether the wallet owns a token of the contract, as one endpoint says (NEP-181). A contract
 * without the count is asked for one token; one without either, and no contract at all, has none
 * to own.
 * @throws Error when this is no answer
 */
export async function ownsToken(url: string, wallet: string, contract: string): Promise<boolean> {
  const view = (method: string, more: object = {}) =>
    viewContract(url, contract, method, { account_id: wallet, ...more });
  const supply = await view("nft_supply_for_owner");
  if (supply) return isPositive(supply.value);
  const tokens = await view("nft_tokens_for_owner", { limit: 1 });
  return tokens !== null && holdsOne(tokens.value, wallet);
}

function isPositive(supply: unknown): boolean {
  if (typeof supply === "string" && SUPPLY.test(supply)) return /[1-9]/.test(supply);
  throw new Error("the contract answered something else than a number as text");
}

function holdsOne(tokens: unknown, wallet: string): boolean {
  if (Array.isArray(tokens)) {
    if (tokens.length === 0) return false;
    const token = tokens[0] as { token_id?: unknown; owner_id?: unknown } | null;
    // Also a contract that lists whatever it has, whosever it is, gives nobody's token away.
    if (typeof token?.token_id === "string" && token.owner_id === wallet) return true;
  }
  throw new Error("the contract answered something else than the owner's tokens");
}

/** @returns what a view method says, null where there is no such method or no contract */
async function viewContract(
  url: string,
  contract: string,
  method: string,
  args: object,
): Promise<{ value: unknown } | null> {
  const answer = await queryNear(url, {
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
 * Nodes say it in one of two ways: by the cause, or in the words of their virtual machine. A
 * contract's own words, when it fails, stand within others and can't pass for these.
 */
function isMissing({ cause, text }: NearAnswer & { kind: "refusal" }, contract: string): boolean {
  if (cause === "UNKNOWN_ACCOUNT" || cause === "NO_CONTRACT_CODE") return true;
  if (cause !== "" && cause !== "CONTRACT_EXECUTION_ERROR") return false;
  if (text === `account ${contract} does not exist while viewing`) return true;
  const failure = text.replace(/^wasm execution failed with error: /, "");
  return MISSING_METHOD.test(failure) || MISSING_CODE.test(failure);
}

/** The bytes that a view method returned, which NEAR writes as a list of numbers. */
function readBytes(answer: NearAnswer & { kind: "found" }): string {
  const { result: bytes } = answer.result;
  const isByte = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  if (Array.isArray(bytes) && bytes.every(isByte)) return Buffer.from(bytes).toString("utf8");
  throw unreadable(answer);
}
