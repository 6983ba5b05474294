import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Actor, Answer } from "../testing/actor.ts";
import { say } from "../testing/chat-hub.ts";
import { describeGatedSoul } from "../testing/describe-gated-soul.ts";
import { codeOf, GATED_SECRET, GATED_TEXT, NFT } from "../testing/gated-hub.ts";
import { createNft } from "../testing/servers/near-contract.ts";

/** Tests of the NFT gate (decisions §4). */
describeGatedSoul("a soul behind an NFT gate", (hub, soul) => {
  const read = async (actor: Actor, id = soul.id) => (await actor.get(`/api/soul/${id}`)).body.data;
  const put = (changes: object, actor = soul.owner, id = soul.id) =>
    actor.put(`/api/soul/${id}`, changes);
  const versions = async (actor: Actor, id = soul.id) =>
    (await actor.get(`/api/versions?soul_id=${id}`)).body.data;
  const forkAs = (actor: Actor) => actor.post("/api/fork", { soul_id: soul.id });

  describe("nft_contract", () => {
    const gateAfter = async (answer: Answer) => {
      expect(answer.status).toBe(200);
      return (await read(soul.owner, answer.body.id ?? soul.id)).nft_contract;
    };
    const publish = (fields: object) =>
      soul.owner.post("/api/souls", { title: "New", content: "Text", ...fields });

    it.each([
      ["a name", "dao.sputnik-dao.near", "dao.sputnik-dao.near"],
      ["the shortest name", "ab", "ab"],
      ["the longest name, that of an implicit account", "f".repeat(64), "f".repeat(64)],
      ["null", null, null],
      ["an empty string", "", null],
    ])("accepts %s on publish and on update", async (_, given, stored) => {
      expect(await gateAfter(await publish({ nft_contract: given }))).toBe(stored);
      expect(await gateAfter(await put({ nft_contract: given }))).toBe(stored);
    });

    it("is null by default, and unchanged by an update without it", async () => {
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
    ])("is refused as %j, with the name of the field", async (nft_contract) => {
      for (const answer of [await publish({ nft_contract }), await put({ nft_contract })]) {
        expect(codeOf(answer)).toEqual([400, "invalid_input"]);
        expect(answer.body.details).toEqual([
          { field: "nft_contract", message: expect.any(String) },
        ]);
      }
      expect((await read(soul.owner)).nft_contract).toBe(NFT);
    });

    it("can be removed by the owner but not by a holder", async () => {
      expect(codeOf(await put({ nft_contract: null }, soul.holder))).toEqual([403, "not_owner"]);
      expect((await read(soul.owner)).nft_contract).toBe(NFT);
    });

    it("opens the soul to all callers after it is cleared", async () => {
      await put({ nft_contract: "" });
      expect(await read(hub.guest())).toMatchObject({
        content: GATED_TEXT,
        content_hidden: false,
        nft_contract: null,
      });
    });
  });

  describe("access", () => {
    it("starts with an NFT, and ends a minute after the NFT is gone", async () => {
      const name = `${soul.holder.name}.near`;
      hub.nft.take(name);
      expect((await read(soul.holder)).content_hidden).toBe(true);
      hub.nft.give(name);
      expect((await read(soul.holder)).content_hidden).toBe(false);
      hub.nft.take(name);
      hub.passTime(59_999);
      expect((await read(soul.holder)).content_hidden).toBe(false);
      hub.passTime(1);
      expect((await read(soul.holder)).content_hidden).toBe(true);
    });

    it("belongs to the wallet: it moves at once to another account that binds the wallet", async () => {
      expect((await read(soul.holder)).content_hidden).toBe(false);
      const { db } = hub.hub.database;
      const lose = { wallet: null, wallet_key: null, wallet_verified: false };
      await db.updateTable("accounts").set(lose).where("username", "=", soul.holder.name).execute();
      const asked = hub.near.requests.length;
      expect((await read(soul.holder)).content_hidden).toBe(true);
      expect(codeOf(await forkAs(soul.holder))).toEqual([403, "nft_required"]);
      const heir = await hub.vip(`${soul.holder.name}-heir`);
      await hub.bind(heir, `${soul.holder.name}.near`);
      const bound = hub.near.requests.length;
      expect((await read(heir)).content_hidden).toBe(false);
      // One chain call binds the wallet. The new account uses the cached answer about the NFT.
      expect([bound - asked, hub.near.requests.length - bound]).toEqual([1, 0]);
    });

    it("needs a verified wallet, even while a positive answer is cached", async () => {
      await read(soul.holder);
      await sql`update accounts set wallet_verified = false where username = ${soul.holder.name}`.execute(
        hub.hub.database.db,
      );
      expect((await read(soul.holder)).content_hidden).toBe(true);
    });

    it("calls the chain once for concurrent requests, and never for a soul without a gate", async () => {
      const asked = hub.near.requests.length;
      const answers = await Promise.all(Array.from({ length: 20 }, () => read(soul.holder)));
      expect(answers.every(({ content }) => content === GATED_TEXT)).toBe(true);
      expect(hub.near.requests.length - asked).toBe(1);
      await put({ nft_contract: null });
      hub.passTime(60_000);
      await Promise.all([read(soul.holder), read(soul.stranger), versions(soul.holder)]);
      expect(hub.near.requests.length - asked).toBe(1);
    });

    it("depends on the current contract of the soul", async () => {
      await read(soul.holder);
      hub.near.contract("another.near", createNft().methods);
      await put({ nft_contract: "another.near" });
      expect(await read(soul.holder)).toMatchObject({ content: "", nft_contract: "another.near" });
    });

    it.each([
      ["fails", { cause: "INTERNAL_ERROR" }],
      [
        "sends an invalid response",
        { text: '{"jsonrpc":"2.0","id":"soul-hub","result":{"result":"1"}}' },
      ],
      ["resets the connection", "reset"],
    ] as const)("is refused with 503 by a chain that %s", async (_, fault) => {
      hub.near.fault = fault;
      for (const path of [`/api/soul/${soul.id}`, `/api/versions?soul_id=${soul.id}`]) {
        const answer = await soul.holder.get(path);
        expect(codeOf(answer)).toEqual([503, "chain_unavailable"]);
        expect(answer.headers.get("retry-after")).toBe("5");
      }
      expect(codeOf(await forkAs(soul.holder))).toEqual([503, "chain_unavailable"]);
      expect((await read(soul.stranger)).content_hidden).toBe(true);
    });
  });

  describe("its content", () => {
    it("occurs in no response to callers without an NFT", async () => {
      await put({ description: "Once more" });
      const paths = [
        `/api/soul/${soul.id}`,
        `/api/versions?soul_id=${soul.id}`,
        `/api/souls?q=${encodeURIComponent(GATED_SECRET)}`,
        "/api/souls?q=Keeper&limit=100",
        `/api/profile?username=${soul.owner.name}`,
        "/api/apps?slug=chess-lesson",
        "/trpc/souls.list?input=%7B%7D",
        `/trpc/souls.read?input=${encodeURIComponent(JSON.stringify({ id: soul.id }))}`,
      ];
      for (const path of paths) {
        for (const reader of [soul.stranger, hub.people["without a token"], hub.guest()]) {
          const { status, text } = await reader.get(path);
          expect([path, status, text.includes(GATED_SECRET)]).toEqual([path, 200, false]);
        }
      }
      expect((await hub.guest().get(paths[2] ?? "")).body.total).toBe(0);
    });

    it("is not revalidated from a guest's cache after a gate was set", async () => {
      await put({ nft_contract: null });
      const open = await hub.guest().get(`/api/soul/${soul.id}`);
      expect(open.text).toContain(GATED_SECRET);
      await put({ nft_contract: NFT });
      const held = { "if-none-match": open.headers.get("etag") ?? "" };
      const gated = await hub.guest().get(`/api/soul/${soul.id}`, held);
      expect([gated.status, gated.body.data.content_hidden]).toEqual([200, true]);
      expect(gated.headers.get("cache-control")).toBe("no-cache");
      const again = { "if-none-match": gated.headers.get("etag") ?? "" };
      expect((await hub.guest().get(`/api/soul/${soul.id}`, again)).status).toBe(304);
    });

    it("is never stored by a cache", async () => {
      for (const reader of [soul.holder, await hub.signIn(soul.holder.name), soul.owner]) {
        const { headers, text } = await reader.get(`/api/soul/${soul.id}`);
        expect(text).toContain(GATED_SECRET);
        expect([headers.get("cache-control"), headers.get("etag")]).toEqual(["no-store", null]);
      }
    });

    it("is separate for two callers in the same event-loop turn", async () => {
      await put({ description: "Once more" });
      await read(soul.holder);
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
      const [[shown], [hidden]] = await Promise.all([
        versions(soul.holder),
        versions(soul.stranger),
      ]);
      hub.hub.accounts = accounts;
      expect([shown.content, shown.content_hidden]).toEqual([GATED_TEXT, false]);
      expect([hidden.content, hidden.content_hidden]).toEqual(["", true]);
    });
  });

  it("is answered as missing to other accounts while private, without a chain call", async () => {
    await put({ is_public: 0 });
    const asked = hub.near.requests.length;
    for (const actor of [soul.holder, soul.stranger]) {
      expect(codeOf(await actor.get(`/api/soul/${soul.id}`))).toEqual([404, "soul_not_found"]);
      expect(codeOf(await forkAs(actor))).toEqual([404, "soul_not_found"]);
      const room = { soul_id: soul.id, session_token: "lobby" };
      expect(codeOf(await say(actor, room, "Hello"))).toEqual([404, "soul_not_found"]);
    }
    expect(codeOf(await forkAs(soul.owner))).toEqual([403, "soul_not_public"]);
    expect(hub.near.requests).toHaveLength(asked);
  });
});
