import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  functionCall,
  type NearFault,
  type NearRpcServer,
  startNearRpcServer,
} from "../testing/near-rpc-server.ts";
import { createNearChain } from "./near-chain.ts";
import { createWallet } from "./wallet.fixture.ts";

const ada = createWallet("ada.near");
const stranger = createWallet("stranger.near");

/** Decisions §4, whose key it is: only a positive answer is a yes, no answer is 503. */
describe("asking NEAR", () => {
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
  const ask = (account = ada.name, key = ada.publicKey, urls = [near.url]) =>
    createNearChain({ urls, log }).hasFullAccess(account, key);
  const unavailable = expect.objectContaining({ code: "chain_unavailable", retryAfter: 5 });

  it("asks for the key at the final block", async () => {
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

  it("says no to a key that may only call functions, to a foreign and to a removed one", async () => {
    near.account(ada.name, { [stranger.publicKey]: functionCall });
    expect(await ask(ada.name, stranger.publicKey)).toBe(false);
    expect(await ask(ada.name, createWallet("x.near").publicKey)).toBe(false);
    near.removeKey(ada.name, ada.publicKey);
    expect(await ask()).toBe(false);
  });

  it.each([true, false])(
    "says no of an account that isn't there (told from a missing key: %s)",
    async (tells) => {
      near.tellsMissingAccounts = tells;
      expect(await ask("nobody.near")).toBe(false);
    },
  );

  it.each(["UNKNOWN_ACCESS_KEY", "UNKNOWN_ACCOUNT"])("understands the error %s", async (cause) => {
    near.fault = { cause };
    expect(await ask()).toBe(false);
  });

  describe("an implicit account", () => {
    it.each([true, false])(
      "that the chain doesn't know belongs to its key alone (told from a missing key: %s)",
      async (tells) => {
        near.tellsMissingAccounts = tells;
        expect(await ask(ada.implicitName)).toBe(true);
        expect(await ask(ada.implicitName, stranger.publicKey)).toBe(false);
      },
    );

    it.each([true, false])("that has removed its key is closed to it (%s)", async (tells) => {
      near.tellsMissingAccounts = tells;
      near.account(ada.implicitName, { [stranger.publicKey]: "FullAccess" });
      expect(await ask(ada.implicitName)).toBe(false);
      expect(await ask(ada.implicitName, stranger.publicKey)).toBe(true);
    });

    it("is not given away where nothing is known", async () => {
      near.fault = { cause: "UNAVAILABLE_SHARD" };
      await expect(ask(ada.implicitName)).rejects.toEqual(unavailable);
    });
  });

  const noAnswers: [string, NearFault][] = [
    ["breaks the line", "reset"],
    ["is too busy", { status: 429 }],
    ["fails", { status: 500, text: "{}" }],
    ["answers with another status", { status: 502, text: "<h1>Bad gateway</h1>" }],
    ["forbids, in JSON that says yes", { status: 403, text: yes() }],
    ["talks garbage", { text: "<!doctype html>" }],
    ["says nothing", { text: "" }],
    ["says null", { text: "null" }],
    ["says nothing of the key", { text: '{"jsonrpc":"2.0","id":"soul-hub","result":{}}' }],
    ["has no result", { text: '{"jsonrpc":"2.0","id":"soul-hub","result":null}' }],
    ["says yes and no", { text: yes('"error":{"cause":{"name":"INTERNAL_ERROR"}}') }],
    ["answers another question", { id: "another" }],
    ["answers without an end", "huge"],
    ["is not synced", { cause: "NO_SYNCED_BLOCKS" }],
    ["doesn't have the shard", { cause: "UNAVAILABLE_SHARD" }],
    ["fails inside", { cause: "INTERNAL_ERROR" }],
    ["refuses in other words", { refusal: "The node is restarting" }],
    [
      "refuses while it quotes us",
      { refusal: `can't say whether access key ${ada.publicKey} does not exist while viewing` },
    ],
  ];

  describe.each(noAnswers)("an endpoint that %s", (_, fault) => {
    it("is no answer, neither yes nor no, and is known at once", async () => {
      near.fault = fault;
      const began = performance.now();
      await expect(ask()).rejects.toEqual(unavailable);
      expect(performance.now() - began).toBeLessThan(2_000);
    });

    it("gives way to the next one", async () => {
      near.fault = fault;
      expect(await ask(ada.name, ada.publicKey, [near.url, second.url])).toBe(true);
      expect(second.requests).toHaveLength(1);
    });
  });

  it("takes the first answer, also where it is no", async () => {
    expect(await ask(ada.name, stranger.publicKey, [near.url, second.url])).toBe(false);
    expect(second.requests).toHaveLength(0);
  });

  it("follows no redirect, not even to an endpoint that would say yes", async () => {
    near.fault = { redirect: second.url };
    await expect(ask()).rejects.toEqual(unavailable);
    expect(second.requests).toHaveLength(0);
  });

  it.each(["hang", "stall"] as const)("waits 3 seconds for one that lets it %s", async (fault) => {
    near.fault = fault;
    const began = performance.now();
    expect(await ask(ada.name, ada.publicKey, [near.url, second.url])).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(2_900);
    expect(performance.now() - began).toBeLessThan(7_000);
  });

  it("asks once for many who ask the same at once, and anew afterwards", async () => {
    const chain = createNearChain({ urls: [near.url], log });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => chain.hasFullAccess(ada.name, ada.publicKey)),
    );
    expect(new Set(answers)).toEqual(new Set([true]));
    expect(near.requests).toHaveLength(1);
    near.removeKey(ada.name, ada.publicKey);
    expect(await chain.hasFullAccess(ada.name, ada.publicKey)).toBe(false);
  });

  it("names the endpoint's host in the log, and nothing more of its address", async () => {
    const lines: string[] = [];
    const listening = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
    near.fault = { status: 500 };
    const urls = [`${near.url}secret-key-of-the-operator`, "http://127.0.0.1:1/secret-key-too"];
    const chain = createNearChain({ urls, log: listening });
    await expect(chain.hasFullAccess(ada.name, ada.publicKey)).rejects.toEqual(unavailable);
    expect(lines).toHaveLength(2);
    expect(lines.join("")).toContain(new URL(near.url).host);
    expect(lines.join("")).not.toContain("secret");
  });
});

function yes(besides = '"logs":[]'): string {
  return `{"jsonrpc":"2.0","id":"soul-hub","result":{"permission":"FullAccess","nonce":1},${besides}}`;
}
