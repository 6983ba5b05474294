import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  functionCall,
  type NearFault,
  type NearRpcServer,
  startNearRpcServer,
} from "../../testing/servers/near-rpc-server.ts";
import { createWallet } from "../wallet.fixture.ts";
import { createNearChain } from "./near-chain.ts";

const ada = createWallet("ada.near");
const stranger = createWallet("stranger.near");

/**
 * The result is true only after a positive answer of the chain. Without an answer, the query throws
 * (decisions §4, Whose key it is).
 */
describe("hasFullAccess", () => {
  let near: NearRpcServer;
  let second: NearRpcServer;
  beforeEach(async () => {
    near = await startNearRpcServer();
    second = await startNearRpcServer();
    for (const server of [near, second]) {
      server.account(ada.name, { [ada.publicKey]: "FullAccess" });
    }
  });
  afterEach(async () => {
    await near[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
  });

  const log = pino({ level: "silent" });
  const ask = (account = ada.name, key = ada.publicKey, urls = [near.url], timeoutMs = 60_000) =>
    createNearChain({ urls, log, timeoutMs }).hasFullAccess(account, key);
  const unavailable = expect.objectContaining({ code: "chain_unavailable", retryAfter: 5 });

  it("queries the key at the final block", async () => {
    expect(await ask()).toBe(true);
    expect(near.requests).toEqual([
      {
        jsonrpc: "2.0",
        id: "soul-hub",
        method: "query",
        params: {
          request_type: "view_access_key",
          finality: "final",
          account_id: "ada.near",
          public_key: ada.publicKey,
        },
      },
    ]);
  });

  it("is false for a function-call key, an unknown key and a removed key", async () => {
    near.account(ada.name, { [stranger.publicKey]: functionCall });
    expect(await ask(ada.name, stranger.publicKey)).toBe(false);
    expect(await ask(ada.name, createWallet("x.near").publicKey)).toBe(false);
    near.removeKey(ada.name, ada.publicKey);
    expect(await ask()).toBe(false);
  });

  it.each([true, false])(
    "is false for a missing account (node distinguishes missing accounts: %s)",
    async (tells) => {
      near.tellsMissingAccounts = tells;
      expect(await ask("nobody.near")).toBe(false);
    },
  );

  it.each(["UNKNOWN_ACCESS_KEY", "UNKNOWN_ACCOUNT"])("is false for the cause %s", async (cause) => {
    near.fault = { cause };
    expect(await ask()).toBe(false);
  });

  describe("of an implicit account", () => {
    it.each([true, false])(
      "unknown to the chain is true for its own key only (node distinguishes missing accounts: %s)",
      async (tells) => {
        near.tellsMissingAccounts = tells;
        expect(await ask(ada.implicitName)).toBe(true);
        expect(await ask(ada.implicitName, stranger.publicKey)).toBe(false);
      },
    );

    it.each([true, false])("is false for its own key after removal (%s)", async (tells) => {
      near.tellsMissingAccounts = tells;
      near.account(ada.implicitName, { [stranger.publicKey]: "FullAccess" });
      expect(await ask(ada.implicitName)).toBe(false);
      expect(await ask(ada.implicitName, stranger.publicKey)).toBe(true);
    });

    it("fails if the endpoint cannot answer", async () => {
      near.fault = { cause: "UNAVAILABLE_SHARD" };
      await expect(ask(ada.implicitName)).rejects.toEqual(unavailable);
    });
  });

  const noAnswers: [string, NearFault][] = [
    ["resets the connection", "reset"],
    ["responds with 429", { status: 429 }],
    ["responds with 500", { status: 500, text: "{}" }],
    ["responds with 502", { status: 502, text: "<h1>Bad gateway</h1>" }],
    ["responds with 403 and a positive body", { status: 403, text: yes() }],
    ["responds with HTML", { text: "<!doctype html>" }],
    ["responds with an empty body", { text: "" }],
    ["responds with null", { text: "null" }],
    ["responds without a permission", { text: '{"jsonrpc":"2.0","id":"soul-hub","result":{}}' }],
    ["responds with a null result", { text: '{"jsonrpc":"2.0","id":"soul-hub","result":null}' }],
    [
      "responds with a result and an error",
      { text: yes('"error":{"cause":{"name":"INTERNAL_ERROR"}}') },
    ],
    ["responds with another id", { id: "another" }],
    ["responds without end", "huge"],
    ["is not synced", { cause: "NO_SYNCED_BLOCKS" }],
    ["does not have the shard", { cause: "UNAVAILABLE_SHARD" }],
    ["fails internally", { cause: "INTERNAL_ERROR" }],
    ["refuses with an unknown message", { refusal: "The node is restarting" }],
    [
      "refuses with a message that quotes the request",
      { refusal: `can't say whether access key ${ada.publicKey} does not exist while viewing` },
    ],
  ];

  describe.each(noAnswers)("an endpoint that %s", (_, fault) => {
    it("is chain_unavailable without waiting for the timeout", async () => {
      near.fault = fault;
      await expect(ask()).rejects.toEqual(unavailable);
    });

    it("falls back to the next endpoint", async () => {
      near.fault = fault;
      expect(await ask(ada.name, ada.publicKey, [near.url, second.url])).toBe(true);
      expect(second.requests).toHaveLength(1);
    });
  });

  it("returns the first answer, also if it is negative", async () => {
    expect(await ask(ada.name, stranger.publicKey, [near.url, second.url])).toBe(false);
    expect(second.requests).toHaveLength(0);
  });

  it("does not follow a redirect", async () => {
    near.fault = { redirect: second.url };
    await expect(ask()).rejects.toEqual(unavailable);
    expect(second.requests).toHaveLength(0);
  });

  it.each(["hang", "stall"] as const)("falls back after the timeout on a %s", async (fault) => {
    near.fault = fault;
    expect(await ask(ada.name, ada.publicKey, [near.url, second.url], 500)).toBe(true);
  });

  it("has a timeout of 3 seconds by default", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    await createNearChain({ urls: [near.url], log }).hasFullAccess(ada.name, ada.publicKey);
    expect(timeout.mock.calls).toContainEqual([3_000]);
    timeout.mockRestore();
  });

  it("shares one call among identical concurrent queries and caches nothing", async () => {
    const chain = createNearChain({ urls: [near.url], log });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => chain.hasFullAccess(ada.name, ada.publicKey)),
    );
    expect(new Set(answers)).toEqual(new Set([true]));
    expect(near.requests).toHaveLength(1);
    near.removeKey(ada.name, ada.publicKey);
    expect(await chain.hasFullAccess(ada.name, ada.publicKey)).toBe(false);
  });

  it("logs only the host of an endpoint's URL", async () => {
    const lines: string[] = [];
    const capturing = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
    near.fault = { status: 500 };
    const urls = [`${near.url}secret-key-of-the-operator`, "http://127.0.0.1:1/secret-key-too"];
    const chain = createNearChain({ urls, log: capturing });
    await expect(chain.hasFullAccess(ada.name, ada.publicKey)).rejects.toEqual(unavailable);
    expect(lines).toHaveLength(2);
    expect(lines.join("")).toContain(new URL(near.url).host);
    expect(lines.join("")).not.toContain("secret");
  });
});

function yes(extra = '"logs":[]'): string {
  return `{"jsonrpc":"2.0","id":"soul-hub","result":{"permission":"FullAccess","nonce":1},${extra}}`;
}
