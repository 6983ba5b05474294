import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createNft, type TestNft } from "../testing/near-contract.ts";
import {
  type NearFault,
  type NearRpcServer,
  startNearRpcServer,
} from "../testing/near-rpc-server.ts";
import { createNearChain } from "./near-chain.ts";

const CONTRACT = "nft.near";

/** Decisions §4, NFT gate: a token is owned only where a contract says so in the standard's own form. */
describe("asking NEAR who owns a token", () => {
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
  const chainOf = (...urls: string[]) => createNearChain({ urls, log, now: () => clockMs });
  const ask = (wallet = "ada.near", contract = CONTRACT, urls = [near.url]) =>
    chainOf(...urls).ownsToken(wallet, contract);
  const unavailable = expect.objectContaining({ code: "chain_unavailable", retryAfter: 5 });
  const asked = (server = near) =>
    server.requests.map(({ params }) => [
      params.method_name,
      JSON.parse(Buffer.from(params.args_base64 ?? "", "base64").toString()),
    ]);

  it("asks the contract for the owner's supply at the final block", async () => {
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

  it("says no to who owns none, or no longer", async () => {
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
  ])("reads the supply %j as %s", async (supply, owns) => {
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
  ])("takes the supply %j for no answer, and asks for nothing else", async (supply) => {
    near.contract(CONTRACT, { ...nft.methods, nft_supply_for_owner: () => supply });
    await expect(ask()).rejects.toEqual(unavailable);
    expect(near.requests).toHaveLength(1);
    expect(await ask("ada.near", CONTRACT, [near.url, second.url])).toBe(true);
  });

  describe.each([false, true])("a contract that does not count (told by cause: %s)", (byCause) => {
    beforeEach(() => {
      near.tellsContractCauses = byCause;
      near.contract(CONTRACT, { nft_tokens_for_owner: nft.methods.nft_tokens_for_owner as never });
    });

    it("is asked for one token", async () => {
      expect([await ask(), await ask("ben.near")]).toEqual([true, false]);
      expect(asked().slice(0, 2)).toEqual([
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
    ])("and gives nothing away with %j", async (tokens) => {
      near.contract(CONTRACT, { nft_tokens_for_owner: () => tokens });
      await expect(ask()).rejects.toEqual(unavailable);
    });

    it("may hold a token with a picture in it", async () => {
      const token = {
        token_id: "1",
        owner_id: "ada.near",
        metadata: { media: "x".repeat(200_000) },
      };
      near.contract(CONTRACT, { nft_tokens_for_owner: () => [token] });
      expect(await ask()).toBe(true);
    });

    it("is no NFT contract where it does not list either: nobody owns a token of it", async () => {
      near.contract(CONTRACT, { get_greeting: () => "Hello" });
      expect(await ask()).toBe(false);
    });

    it("may be an account without a contract, or none at all", async () => {
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
    ])("that fails, saying %j, gives no answer", async (words) => {
      near.contract(CONTRACT, {
        nft_supply_for_owner: () => {
          throw new Error(words);
        },
        nft_tokens_for_owner: nft.methods.nft_tokens_for_owner as never,
      });
      await expect(ask()).rejects.toEqual(unavailable);
      expect(near.requests).toHaveLength(1);
    });
  });

  const yes = (result: string, besides = "") =>
    `{"jsonrpc":"2.0","id":"soul-hub","result":{"result":${result},"logs":[]${besides}}}`;
  const noAnswers: [string, NearFault][] = [
    ["breaks the line", "reset"],
    ["fails", { status: 500, text: yes("[34,49,34]") }],
    ["is too busy", { status: 429 }],
    ["talks garbage", { text: "<!doctype html>" }],
    ["says nothing of a result", { text: '{"jsonrpc":"2.0","id":"soul-hub","result":{}}' }],
    ["returns a text for bytes", { text: yes('"\\"1\\""') }],
    ["returns numbers that are no bytes", { text: yes("[34,305,34]") }],
    ["returns parts of bytes", { text: yes("[34,49.5,34]") }],
    ["returns bytes beyond 2^32", { text: yes("[4294967330,49,34]") }],
    ["says yes and fails", { text: yes("[34,49,34]", ',"error":"wasm execution failed"') }],
    ["answers another question", { id: "another" }],
    ["answers without an end", "huge"],
    ["is not synced", { cause: "NO_SYNCED_BLOCKS" }],
    ["doesn't have the shard", { cause: "UNAVAILABLE_SHARD" }],
    ["refuses in other words", { refusal: "MethodResolveError(MethodNotFound), or so" }],
  ];

  describe.each(noAnswers)("an endpoint that %s", (_, fault) => {
    it("is no answer, and gives way to the next one", async () => {
      near.fault = fault;
      await expect(ask()).rejects.toEqual(unavailable);
      expect(await ask("ada.near", CONTRACT, [near.url, second.url])).toBe(true);
      expect(await ask("ben.near", CONTRACT, [near.url, second.url])).toBe(false);
    });
  });

  it("waits for a silent endpoint, then asks the next", async () => {
    near.fault = "hang";
    expect(await ask("ada.near", CONTRACT, [near.url, second.url])).toBe(true);
  });

  it("follows no redirect", async () => {
    near.fault = { redirect: second.url };
    await expect(ask()).rejects.toEqual(unavailable);
    expect(second.requests).toHaveLength(0);
  });

  it("logs little of what a contract says", async () => {
    const lines: string[] = [];
    const listening = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
    near.contract(CONTRACT, {
      nft_supply_for_owner: () => {
        throw new Error("x".repeat(100_000));
      },
    });
    const chain = createNearChain({ urls: [near.url], log: listening });
    await expect(chain.ownsToken("ada.near", CONTRACT)).rejects.toEqual(unavailable);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(3_000);
  });

  describe("an answer", () => {
    it("is shared by all who ask the same meanwhile, a no and a failure too", async () => {
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
      // A no is asked for anew: somebody who has just bought a token does not wait.
      expect(near.requests).toHaveLength(3);
      near.fault = { status: 500 };
      expect((await many("cleo.near")).every(({ status }) => status === "rejected")).toBe(true);
      expect(near.requests).toHaveLength(4);
    });

    it("is kept for 60 s where it is yes, for that wallet and that contract alone", async () => {
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

    it("is not kept where it is no", async () => {
      const chain = chainOf(near.url);
      expect(await chain.ownsToken("ben.near", CONTRACT)).toBe(false);
      nft.give("ben.near");
      expect(await chain.ownsToken("ben.near", CONTRACT)).toBe(true);
    });

    it("counts from when it was asked, not from when it came", async () => {
      near.fault = "hang";
      const chain = chainOf(near.url, second.url);
      const slow = chain.ownsToken("ada.near", CONTRACT);
      clockMs = 50_000;
      expect(await slow).toBe(true);
      near.fault = null;
      nft.take("ada.near");
      clockMs = 60_000;
      expect(await chain.ownsToken("ada.near", CONTRACT)).toBe(false);
    });

    it("that is too old for who asks is asked for anew, and a no then holds for everybody", async () => {
      const chain = chainOf(near.url);
      await chain.ownsToken("ada.near", CONTRACT);
      nft.take("ada.near");
      clockMs = 20_000;
      expect(await chain.ownsToken("ada.near", CONTRACT, 20_001)).toBe(true);
      expect(await chain.ownsToken("ada.near", CONTRACT, 20_000)).toBe(false);
      expect(await chain.ownsToken("ada.near", CONTRACT)).toBe(false);
    });

    it("that is kept is good enough while the chain can't be asked, and no longer", async () => {
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
