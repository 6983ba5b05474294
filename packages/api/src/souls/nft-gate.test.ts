import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../testing/actor.ts";
import { say } from "../testing/chat-hub.ts";
import {
  codeOf,
  GATED_SECRET,
  GATED_TEXT,
  type GatedHub,
  NFT,
  startGatedHub,
} from "../testing/gated-hub.ts";
import { createNft } from "../testing/near-contract.ts";
import { testDatabases } from "../testing/test-database.ts";

/** Decisions §4, NFT gate. Who passes in general stands in chat/nft-gate.table.test.ts. */
describe.each(testDatabases())("a soul behind an NFT gate on %s", (database) => {
  let hub: GatedHub;
  let owner: Actor;
  let holder: Actor;
  let stranger: Actor;
  let soul: number;
  beforeAll(async () => {
    hub = await startGatedHub(database);
    owner = hub.people.owner;
    stranger = hub.people["without a wallet"];
  });
  let holders = 0;
  beforeEach(async () => {
    hub.near.fault = null;
    hub.passTime(60_000);
    holder = await hub.holder(`holder-${++holders}`);
    soul = (await hub.openGated()).soul_id;
  });
  afterAll(() => hub.close());

  const read = async (actor: Actor, id = soul) => (await actor.get(`/api/soul/${id}`)).body.data;
  const put = (changes: object, actor = owner, id = soul) => actor.put(`/api/soul/${id}`, changes);
  const versions = async (actor: Actor, id = soul) =>
    (await actor.get(`/api/versions?soul_id=${id}`)).body.data;
  const forkAs = (actor: Actor) => actor.post("/api/fork", { soul_id: soul });

  describe("nft_contract", () => {
    const gateAfter = async (answer: Answer) => {
      expect(answer.status).toBe(200);
      return (await read(owner, answer.body.id ?? soul)).nft_contract;
    };
    const publish = (fields: object) =>
      owner.post("/api/souls", { title: "New", content: "Text", ...fields });

    it.each([
      ["a name", "dao.sputnik-dao.near", "dao.sputnik-dao.near"],
      ["the shortest name", "ab", "ab"],
      ["the longest name, an implicit account", "f".repeat(64), "f".repeat(64)],
      ["null", null, null],
      ["an empty text", "", null],
    ])("takes %s, when published and when changed", async (_, given, stored) => {
      expect(await gateAfter(await publish({ nft_contract: given }))).toBe(stored);
      expect(await gateAfter(await put({ nft_contract: given }))).toBe(stored);
    });

    it("is none where nothing is said, and stays where a change does not name it", async () => {
      expect(await gateAfter(await publish({}))).toBe(null);
      expect(await gateAfter(await put({ title: "Keeper II" }))).toBe(NFT);
    });

    it.each([
      "a",
      "Nft.near",
      "nft..near",
      ".near",
      "near.",
      "nft near",
      "nft.near\n",
      "g".repeat(65),
      "näh.near",
      "-",
      1,
      true,
      {},
      ["nft.near"],
    ])("refuses %j and names the field", async (nft_contract) => {
      for (const answer of [await publish({ nft_contract }), await put({ nft_contract })]) {
        expect(codeOf(answer)).toEqual([400, "invalid_input"]);
        expect(answer.body.details).toEqual([
          { field: "nft_contract", message: expect.any(String) },
        ]);
      }
      expect((await read(owner)).nft_contract).toBe(NFT);
    });

    it("is the owner's to set: a holder may not take the gate away", async () => {
      expect(codeOf(await put({ nft_contract: null }, holder))).toEqual([403, "not_owner"]);
      expect((await read(owner)).nft_contract).toBe(NFT);
    });

    it("opens the soul to everybody when it is cleared", async () => {
      await put({ nft_contract: "" });
      expect(await read(hub.guest())).toMatchObject({
        content: GATED_TEXT,
        content_hidden: false,
        nft_contract: null,
      });
    });
  });

  describe("the right to use it", () => {
    it("begins with a token, and ends with it after a minute", async () => {
      const name = `${holder.name}.near`;
      hub.nft.take(name);
      expect((await read(holder)).content_hidden).toBe(true);
      hub.nft.give(name);
      expect((await read(holder)).content_hidden).toBe(false);
      hub.nft.take(name);
      hub.passTime(59_999);
      expect((await read(holder)).content_hidden).toBe(false);
      hub.passTime(1);
      expect((await read(holder)).content_hidden).toBe(true);
    });

    it("is the wallet's: who loses it loses the right at once, who gets it has it", async () => {
      expect((await read(holder)).content_hidden).toBe(false);
      const { db } = hub.hub.database;
      const lose = { wallet: null, wallet_key: null, wallet_verified: false };
      await db.updateTable("accounts").set(lose).where("username", "=", holder.name).execute();
      const asked = hub.near.requests.length;
      expect((await read(holder)).content_hidden).toBe(true);
      expect(codeOf(await forkAs(holder))).toEqual([403, "nft_required"]);
      const heir = await hub.vip(`heir-${holders}`);
      await hub.bind(heir, `${holder.name}.near`);
      const bound = hub.near.requests.length;
      expect((await read(heir)).content_hidden).toBe(false);
      // For the first the chain was not asked, for the heir its answer about the wallet was kept.
      expect([bound - asked, hub.near.requests.length - bound]).toEqual([1, 0]);
    });

    it("is nothing that an unconfirmed claim on a wallet gives, also of one with a kept yes", async () => {
      await read(holder);
      await sql`update accounts set wallet_verified = false where username = ${holder.name}`.execute(
        hub.hub.database.db,
      );
      expect((await read(holder)).content_hidden).toBe(true);
    });

    it("asks the chain once for all who ask at once, and for nobody where there is no gate", async () => {
      const asked = hub.near.requests.length;
      const answers = await Promise.all(Array.from({ length: 20 }, () => read(holder)));
      expect(answers.every(({ content }) => content === GATED_TEXT)).toBe(true);
      expect(hub.near.requests.length - asked).toBe(1);
      await put({ nft_contract: null });
      hub.passTime(60_000);
      await Promise.all([read(holder), read(stranger), versions(holder)]);
      expect(hub.near.requests.length - asked).toBe(1);
    });

    it("is asked of the contract that the soul names now", async () => {
      await read(holder);
      hub.near.contract("another.near", createNft().methods);
      await put({ nft_contract: "another.near" });
      expect(await read(holder)).toMatchObject({ content: "", nft_contract: "another.near" });
    });

    it.each([
      ["fails", { cause: "INTERNAL_ERROR" }],
      ["talks garbage", { text: '{"jsonrpc":"2.0","id":"soul-hub","result":{"result":"1"}}' }],
      ["breaks the line", "reset"],
    ] as const)("is never taken for granted: a chain that %s is 503", async (_, fault) => {
      hub.near.fault = fault;
      for (const path of [`/api/soul/${soul}`, `/api/versions?soul_id=${soul}`]) {
        const answer = await holder.get(path);
        expect(codeOf(answer)).toEqual([503, "chain_unavailable"]);
        expect(answer.headers.get("retry-after")).toBe("5");
      }
      expect(codeOf(await forkAs(holder))).toEqual([503, "chain_unavailable"]);
      expect((await read(stranger)).content_hidden).toBe(true);
    });
  });

  describe("its text", () => {
    it("is nowhere but in the record of who may read it", async () => {
      await put({ description: "Once more" });
      const paths = [
        `/api/soul/${soul}`,
        `/api/versions?soul_id=${soul}`,
        `/api/souls?q=${encodeURIComponent(GATED_SECRET)}`,
        "/api/souls?q=Keeper&limit=100",
        `/api/profile?username=${owner.name}`,
        "/api/apps?slug=chess-lesson",
        "/trpc/souls.list?input=%7B%7D",
        `/trpc/souls.read?input=${encodeURIComponent(JSON.stringify({ id: soul }))}`,
      ];
      for (const path of paths) {
        for (const reader of [stranger, hub.people["without a token"], hub.guest()]) {
          const { status, text } = await reader.get(path);
          expect([path, status, text.includes(GATED_SECRET)]).toEqual([path, 200, false]);
        }
      }
      expect((await hub.guest().get(paths[2] ?? "")).body.total).toBe(0);
    });

    it("is not what a guest's cache is told to keep: the gate is shown there as it is now", async () => {
      await put({ nft_contract: null });
      const open = await hub.guest().get(`/api/soul/${soul}`);
      expect(open.text).toContain(GATED_SECRET);
      await put({ nft_contract: NFT });
      const held = { "if-none-match": open.headers.get("etag") ?? "" };
      const gated = await hub.guest().get(`/api/soul/${soul}`, held);
      expect([gated.status, gated.body.data.content_hidden]).toEqual([200, true]);
      expect(gated.headers.get("cache-control")).toBe("no-cache");
      const again = { "if-none-match": gated.headers.get("etag") ?? "" };
      expect((await hub.guest().get(`/api/soul/${soul}`, again)).status).toBe(304);
    });

    it("is stored by no cache: who may read it shows a credential", async () => {
      for (const reader of [holder, await hub.browserOf(holder), owner]) {
        const { headers, text } = await reader.get(`/api/soul/${soul}`);
        expect(text).toContain(GATED_SECRET);
        expect([headers.get("cache-control"), headers.get("etag")]).toEqual(["no-store", null]);
      }
    });

    it("is not mixed up between two who ask in the same turn", async () => {
      await put({ description: "Once more" });
      await read(holder);
      const { accounts } = hub.hub;
      let waiting = 0;
      const both = Promise.withResolvers<void>();
      hub.hub.accounts = {
        ...accounts,
        async verifiedWallet(id) {
          if (++waiting === 2) both.resolve();
          await both.promise;
          return accounts.verifiedWallet(id);
        },
      };
      const [[shown], [hidden]] = await Promise.all([versions(holder), versions(stranger)]);
      hub.hub.accounts = accounts;
      expect([shown.content, shown.content_hidden]).toEqual([GATED_TEXT, false]);
      expect([hidden.content, hidden.content_hidden]).toEqual(["", true]);
    });
  });

  it("is hidden from others when it is private, before its gate says anything", async () => {
    await put({ is_public: 0 });
    const asked = hub.near.requests.length;
    for (const actor of [holder, stranger]) {
      expect(codeOf(await actor.get(`/api/soul/${soul}`))).toEqual([404, "soul_not_found"]);
      expect(codeOf(await forkAs(actor))).toEqual([404, "soul_not_found"]);
      const room = { soul_id: soul, session_token: "lobby" };
      expect(codeOf(await say(actor, room, "Hello"))).toEqual([404, "soul_not_found"]);
    }
    expect(codeOf(await forkAs(owner))).toEqual([403, "soul_not_public"]);
    expect(hub.near.requests).toHaveLength(asked);
  });
});
