import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createNft, type TestNft } from "../../testing/servers/near-contract.ts";
import {
  type NearFault,
  type NearRpcServer,
  startNearRpcServer,
} from "../../testing/servers/near-rpc-server.ts";
import { createNearChain } from "./near-chain.ts";

const CONTRACT = "nft.near";

/** A wallet owns a token only if the contract confirms it in the format of NEP-181 (decisions §4). */
describe("ownsToken", () => {
  let near: NearRpcServer;
  let second: NearRpcServer;
  let nft: TestNft;
  let clockMs: number;
  beforeEach(async () => {
    clockMs = 0;
    nft = createNft();
    nft.give("ada.near");
    near = await startNearRpcServer();
    second = await startNearRpcServer();
    for (const server of [near, second]) server.contract(CONTRACT, nft.methods);
  });
  afterEach(async () => {
    await near[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
  });

  const log = pino({ level: "silent" });
  const chainOf = (...urls: string[]) =>
    createNearChain({ urls, log, now: () => clockMs, timeoutMs: 60_000 });
  /** Creates a chain with a timeout of 500 ms, for tests in which the first endpoint hangs. */
  const impatientChain = () =>
    createNearChain({ urls: [near.url, second.url], log, now: () => clockMs, timeoutMs: 500 });
  const ask = (wallet = "ada.near", contract = CONTRACT, urls = [near.url]) =>
    chainOf(...urls).ownsToken(wallet, contract);
  const unavailable = expect.objectContaining({ code: "chain_unavailable", retryAfter: 5 });
  const calls = () =>
    near.requests.map(({ params }) => [
      params.method_name,
      JSON.parse(Buffer.from(params.args_base64 ?? "", "base64").toString()),
    ]);

  it("queries the owner's supply at the final block", async () => {
    expect(await ask()).toBe(true);
    expect(near.requests.map(({ params }) => params)).toEqual([
      {
        request_type: "call_function",
        finality: "final",
        account_id: CONTRACT,
        method_name: "nft_supply_for_owner",
        args_base64: Buffer.from('{"account_id":"ada.near"}').toString("base64"),
      },
    ]);
  });

  it("is false without a token and after a transfer", async () => {
    expect(await ask("ben.near")).toBe(false);
    nft.take("ada.near");
    expect(await ask()).toBe(false);
  });

  it.each<[unknown, boolean]>([
    ["1", true],
    ["0", false],
    ["000", false],
    ["9007199254740993", true],
    ["340282366920938463463374607431768211455", true],
  ])("returns for the supply %j: %s", async (supply, owns) => {
    near.contract(CONTRACT, { nft_supply_for_owner: () => supply });
    expect(await ask()).toBe(owns);
  });

  it.each<[unknown]>([
    [1],
    [true],
    [null],
    [[]],
    [["1"]],
    [{ supply: "1" }],
    [""],
    ["-1"],
    ["1.5"],
    ["1e9"],
    ["0x1"],
    [" 1"],
    ["1\n"],
    ["１"],
    ["many"],
    ["1".repeat(40)],
    [Buffer.from("")],
    [Buffer.from("1 token")],
    [Buffer.from('"1')],
    [Buffer.from([0xff, 0xfe])],
  ])("rejects the supply %j without asking for tokens", async (supply) => {
    near.contract(CONTRACT, { ...nft.methods, nft_supply_for_owner: () => supply });
    await expect(ask()).rejects.toEqual(unavailable);
    expect(near.requests).toHaveLength(1);
    expect(await ask("ada.near", CONTRACT, [near.url, second.url])).toBe(true);
  });

  describe.each([false, true])(
    "a contract without nft_supply_for_owner (node reports causes: %s)",
    (byCause) => {
      beforeEach(() => {
        near.tellsContractCauses = byCause;
        near.contract(CONTRACT, {
          nft_tokens_for_owner: nft.methods.nft_tokens_for_owner as never,
        });
      });

      it("is asked for one token", async () => {
        expect([await ask(), await ask("ben.near")]).toEqual([true, false]);
        expect(calls().slice(0, 2)).toEqual([
          ["nft_supply_for_owner", { account_id: "ada.near" }],
          ["nft_tokens_for_owner", { account_id: "ada.near", limit: 1 }],
        ]);
      });

      it.each<[unknown]>([
        [null],
        ["1"],
        [{}],
        [{ length: 1 }],
        [[null]],
        [["token"]],
        [[{ token_id: "1" }]],
        [[{ owner_id: "ada.near" }]],
        [[{ token_id: 1, owner_id: "ada.near" }]],
        [[{ token_id: "1", owner_id: "somebody-else.near" }]],
      ])("rejects the token list %j", async (tokens) => {
        near.contract(CONTRACT, { nft_tokens_for_owner: () => tokens });
        await expect(ask()).rejects.toEqual(unavailable);
      });

      it("accepts a token with an embedded image", async () => {
        const token = {
          token_id: "1",
          owner_id: "ada.near",
          metadata: { media: "x".repeat(200_000) },
        };
        near.contract(CONTRACT, { nft_tokens_for_owner: () => [token] });
        expect(await ask()).toBe(true);
      });

      it("is false if nft_tokens_for_owner is missing too", async () => {
        near.contract(CONTRACT, { get_greeting: () => "Hello" });
        expect(await ask()).toBe(false);
      });

      it("is false for an account without code and for a missing account", async () => {
        near.account("plain.near");
        expect([await ask("ada.near", "plain.near"), await ask("ada.near", "no.near")]).toEqual([
          false,
          false,
        ]);
      });

      it.each([
        "the contract is not initialized",
        "MethodResolveError(MethodNotFound)",
        'x" })) MethodResolveError(MethodNotFound)',
        "account nft.near does not exist while viewing",
      ])("rejects if the contract fails with %j", async (message) => {
        near.contract(CONTRACT, {
          nft_supply_for_owner: () => {
            throw new Error(message);
          },
          nft_tokens_for_owner: nft.methods.nft_tokens_for_owner as never,
        });
        await expect(ask()).rejects.toEqual(unavailable);
        expect(near.requests).toHaveLength(1);
      });
    },
  );

  const yes = (result: string, extra = "") =>
    `{"jsonrpc":"2.0","id":"soul-hub","result":{"result":${result},"logs":[]${extra}}}`;
  const noAnswers: [string, NearFault][] = [
    ["resets the connection", "reset"],
    ["responds with 500", { status: 500, text: yes("[34,49,34]") }],
    ["responds with 429", { status: 429 }],
    ["responds with HTML", { text: "<!doctype html>" }],
    ["responds without a result", { text: '{"jsonrpc":"2.0","id":"soul-hub","result":{}}' }],
    ["returns a string instead of bytes", { text: yes('"\\"1\\""') }],
    ["returns numbers above 255", { text: yes("[34,305,34]") }],
    ["returns fractions", { text: yes("[34,49.5,34]") }],
    ["returns numbers above 2^32", { text: yes("[4294967330,49,34]") }],
    [
      "returns a result and an error",
      { text: yes("[34,49,34]", ',"error":"wasm execution failed"') },
    ],
    ["responds with another id", { id: "another" }],
    ["responds without end", "huge"],
    ["is not synced", { cause: "NO_SYNCED_BLOCKS" }],
    ["does not have the shard", { cause: "UNAVAILABLE_SHARD" }],
    ["refuses with an unknown message", { refusal: "MethodResolveError(MethodNotFound), or so" }],
  ];

  describe.each(noAnswers)("an endpoint that %s", (_, fault) => {
    it("fails, or falls back to the next endpoint", async () => {
      near.fault = fault;
      await expect(ask()).rejects.toEqual(unavailable);
      expect(await ask("ada.near", CONTRACT, [near.url, second.url])).toBe(true);
      expect(await ask("ben.near", CONTRACT, [near.url, second.url])).toBe(false);
    });
  });

  it("falls back after the timeout", async () => {
    near.fault = "hang";
    expect(await impatientChain().ownsToken("ada.near", CONTRACT)).toBe(true);
  });

  it("does not follow a redirect", async () => {
    near.fault = { redirect: second.url };
    await expect(ask()).rejects.toEqual(unavailable);
    expect(second.requests).toHaveLength(0);
  });

  it("truncates the message of a contract in the log", async () => {
    const lines: string[] = [];
    const capturing = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
    near.contract(CONTRACT, {
      nft_supply_for_owner: () => {
        throw new Error("x".repeat(100_000));
      },
    });
    const chain = createNearChain({ urls: [near.url], log: capturing });
    await expect(chain.ownsToken("ada.near", CONTRACT)).rejects.toEqual(unavailable);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(3_000);
  });

  describe("caching", () => {
    it("shares one call among identical concurrent queries, also a failure", async () => {
      const chain = chainOf(near.url);
      const many = (wallet: string) =>
        Promise.allSettled(Array.from({ length: 20 }, () => chain.ownsToken(wallet, CONTRACT)));
      for (const [wallet, owns] of [
        ["ada.near", true],
        ["ben.near", false],
      ] as const) {
        expect(new Set((await many(wallet)).map((one) => JSON.stringify(one))).size).toBe(1);
        expect(await chain.ownsToken(wallet, CONTRACT)).toBe(owns);
      }
      // Negative answers are not cached, so that a new owner of a token has access at once.
      expect(near.requests).toHaveLength(3);
      near.fault = { status: 500 };
      expect((await many("cleo.near")).every(({ status }) => status === "rejected")).toBe(true);
      expect(near.requests).toHaveLength(4);
    });

    it("stores a positive answer for 60 s, per wallet and contract", async () => {
      const chain = chainOf(near.url);
      near.contract("other.near", createNft().methods);
      expect(await chain.ownsToken("ada.near", CONTRACT)).toBe(true);
      nft.take("ada.near");
      clockMs = 59_999;
      expect(await chain.ownsToken("ada.near", CONTRACT)).toBe(true);
      expect(await chain.ownsToken("ada.near", "other.near")).toBe(false);
      expect(await chain.ownsToken("ben.near", CONTRACT)).toBe(false);
      expect(near.requests).toHaveLength(3);
      clockMs = 60_000;
      expect(await chain.ownsToken("ada.near", CONTRACT)).toBe(false);
    });

    it("does not store a negative answer", async () => {
      const chain = chainOf(near.url);
      expect(await chain.ownsToken("ben.near", CONTRACT)).toBe(false);
      nft.give("ben.near");
      expect(await chain.ownsToken("ben.near", CONTRACT)).toBe(true);
    });

    it("measures the age from the query, not from its answer", async () => {
      near.fault = "hang";
      const chain = impatientChain();
      const slow = chain.ownsToken("ada.near", CONTRACT);
      clockMs = 50_000;
      expect(await slow).toBe(true);
      near.fault = null;
      nft.take("ada.near");
      clockMs = 60_000;
      expect(await chain.ownsToken("ada.near", CONTRACT)).toBe(false);
    });

    it("queries again above freshMs; a negative answer then replaces the cached one", async () => {
      const chain = chainOf(near.url);
      await chain.ownsToken("ada.near", CONTRACT);
      nft.take("ada.near");
      clockMs = 20_000;
      expect(await chain.ownsToken("ada.near", CONTRACT, 20_001)).toBe(true);
      expect(await chain.ownsToken("ada.near", CONTRACT, 20_000)).toBe(false);
      expect(await chain.ownsToken("ada.near", CONTRACT)).toBe(false);
    });

    it("ignores freshMs while no endpoint answers, but not the 60 s", async () => {
      const chain = chainOf(near.url);
      await chain.ownsToken("ada.near", CONTRACT);
      near.fault = { status: 500 };
      clockMs = 59_999;
      expect(await chain.ownsToken("ada.near", CONTRACT, 1)).toBe(true);
      clockMs = 60_000;
      await expect(chain.ownsToken("ada.near", CONTRACT)).rejects.toEqual(unavailable);
    });
  });
});
