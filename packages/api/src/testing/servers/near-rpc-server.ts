import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { callView, type ViewFailure, type ViewMethod } from "./near-contract.ts";

/** A JSON-RPC request that the simulated NEAR node received. */
export interface NearRequest {
  id: unknown;
  method: string;
  params: Readonly<Record<string, string>>;
}

/**
 * A fault of the simulated NEAR node:
 * - `hang`: it sends no response
 * - `stall`: it sends a few bytes, then nothing
 * - `reset`: it closes the connection
 * - `huge`: it sends an endless response
 * - `text`: it sends this body with status 200
 * - `cause`: it sends a handler error with this name
 * - `refusal`: it sends status 200 with this text in `result.error`, as NEAR nodes do
 * - `id`: it sends this JSON-RPC id in place of the request's
 */
export type NearFault =
  | "hang"
  | "stall"
  | "reset"
  | "huge"
  | { status: number; text?: string }
  | { redirect: string }
  | { text: string }
  | { cause: string }
  | { refusal: string }
  | { id: unknown };

type Permission = "FullAccess" | { FunctionCall: object };

export interface NearRpcServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly NearRequest[];
  /**
   * Creates an account on the simulated chain, or adds keys to it. Accounts that no test created
   * are missing.
   */
  account(name: string, keys?: Readonly<Record<string, Permission>>): void;
  removeKey(account: string, publicKey: string): void;
  /** Deploys a contract to an account, and creates the account if it is missing. */
  contract(account: string, methods: Readonly<Record<string, ViewMethod>>): void;
  /** The fault that the simulated NEAR node shows in every response; null for none. */
  fault: NearFault | null;
  /**
   * True if the simulated node reports missing accounts and missing keys differently, as NEAR nodes
   * do since August 2026.
   */
  tellsMissingAccounts: boolean;
  /**
   * True if the simulated NEAR node reports a contract's failure as an error with a cause.
   * Otherwise it sends status 200 with the failure as a text.
   */
  tellsContractCauses: boolean;
}

export const functionCall: Permission = {
  FunctionCall: {
    allowance: "250000000000000000000000",
    receiver_id: "app.near",
    method_names: [],
  },
};

const block = {
  block_height: 19_884_918,
  block_hash: "GGJQ8yjmo7aEoj8ZpAhGehnq9BSWFx4xswHYzDwwAP2n",
};

/** Starts a local HTTP server that answers the RPC method `query` as a NEAR node does. */
export async function startNearRpcServer(): Promise<NearRpcServer> {
  const accounts = new Map<string, Map<string, Permission>>();
  const contracts = new Map<string, Readonly<Record<string, ViewMethod>>>();
  const requests: NearRequest[] = [];
  const server = createServer(async (incoming, response) => {
    try {
      const request = (await readJson(incoming)) as NearRequest;
      requests.push(request);
      const { fault } = near;
      const answer = { jsonrpc: "2.0", id: request.id, ...outcome(request) };
      if (fault === null) send(response, answer);
      else fail(response, fault, answer);
    } catch {
      response.destroy();
    }
  });

  function outcome({ method, params }: NearRequest): object {
    const { request_type, account_id = "", public_key = "" } = params;
    const { method_name = "", args_base64 = "" } = params;
    if (method !== "query" || params.finality !== "final") return handlerError("PARSE_ERROR");
    const keys = accounts.get(account_id);
    if (request_type === "view_account") {
      return keys
        ? { result: { amount: "100000000000000000000000000", locked: "0", ...block } }
        : handlerError("UNKNOWN_ACCOUNT", { requested_account_id: account_id, ...block });
    }
    if (request_type === "call_function") {
      const bytes = keys
        ? callView(contracts.get(account_id), method_name, args_base64)
        : ({ kind: "no account" } as const);
      if (Array.isArray(bytes)) return { result: { result: bytes, logs: [], ...block } };
      return contractFailure(bytes, account_id, near.tellsContractCauses);
    }
    const permission = keys?.get(public_key);
    if (permission) return { result: { nonce: 85, permission, ...block } };
    return keys || !near.tellsMissingAccounts
      ? refusal(`access key ${public_key} does not exist while viewing`)
      : refusal(`account ${account_id} does not exist while viewing`);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const near: NearRpcServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    account(name, keys = {}) {
      accounts.set(name, new Map([...(accounts.get(name) ?? []), ...Object.entries(keys)]));
    },
    contract(account, methods) {
      near.account(account);
      contracts.set(account, methods);
    },
    removeKey: (account, publicKey) => void accounts.get(account)?.delete(publicKey),
    fault: null,
    tellsMissingAccounts: true,
    tellsContractCauses: false,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return near;
}

const refusal = (error: string) => ({ result: { error, logs: [], ...block } });

const handlerError = (name: string, info: object = {}) => ({
  error: {
    name: "HANDLER_ERROR",
    cause: { name, info },
    code: -32_000,
    message: "Server error",
    data: "in the words of the node",
  },
});

function contractFailure(failure: ViewFailure, account: string, byCause: boolean): object {
  if (failure.kind === "no account") {
    return handlerError("UNKNOWN_ACCOUNT", { requested_account_id: account, ...block });
  }
  const isNoCode = failure.kind === "no code";
  if (isNoCode && byCause) {
    return handlerError("NO_CONTRACT_CODE", { contract_account_id: account, ...block });
  }
  const error = isNoCode
    ? `CompilationError(CodeDoesNotExist { account_id: AccountId("${account}") })`
    : failure.error;
  return byCause
    ? handlerError("CONTRACT_EXECUTION_ERROR", { vm_error: error, ...block })
    : refusal(`wasm execution failed with error: ${error}`);
}

function fail(response: ServerResponse, fault: NearFault, answer: { id: unknown }): void {
  const { id } = answer;
  if (fault === "hang") return;
  if (fault === "reset") response.destroy();
  else if (fault === "stall") response.writeHead(200).write('{"jsonrpc":"2.0",');
  else if (fault === "huge") endless(response);
  else if ("redirect" in fault) response.writeHead(307, { location: fault.redirect }).end();
  else if ("status" in fault) response.writeHead(fault.status).end(fault.text);
  else if ("text" in fault) response.end(fault.text);
  else if ("cause" in fault) send(response, { id, ...handlerError(fault.cause) });
  else if ("refusal" in fault) send(response, { id, ...refusal(fault.refusal) });
  else send(response, { ...answer, ...fault });
}

/** Writes endless JSON as fast as the client reads it. */
function endless(response: ServerResponse): void {
  response.write('{"result":{"permission":"FullAccess","method_names":[');
  const more = () => {
    while (!response.destroyed && response.write(`"${"x".repeat(8_192)}",`));
  };
  response.on("drain", more);
  more();
}

function send(response: ServerResponse, answer: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}
