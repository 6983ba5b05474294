import { expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { describeGatedSoul } from "../testing/describe-gated-soul.ts";
import { codeOf, GATED_TEXT, NFT } from "../testing/gated-hub.ts";
import { fork, like, rate } from "./social.fixture.ts";

/** Tests of forking a soul behind an NFT gate (decisions §4). */
describeGatedSoul("a fork of a soul behind an NFT gate", (hub, soul) => {
  const read = async (actor: Actor, id = soul.id) => (await actor.get(`/api/soul/${id}`)).body.data;
  const put = (changes: object, actor = soul.owner, id = soul.id) =>
    actor.put(`/api/soul/${id}`, changes);

  it("keeps the gate, and its owner passes", async () => {
    const { body } = await fork(soul.holder, soul.id);
    hub.nft.take(`${soul.holder.name}.near`);
    hub.passTime(60_000);
    expect(await read(soul.holder, body.new_soul_id)).toMatchObject({
      content: GATED_TEXT,
      nft_contract: NFT,
      forked_from: soul.id,
    });
    await put({ is_public: 1 }, soul.holder, body.new_soul_id);
    expect(await read(soul.stranger, body.new_soul_id)).toMatchObject({
      content: "",
      content_hidden: true,
      nft_contract: NFT,
    });
  });

  it("is refused without any effect", async () => {
    const before = await read(soul.owner);
    expect(codeOf(await fork(soul.stranger, soul.id))).toEqual([403, "nft_required"]);
    expect((await read(soul.owner)).fork_count).toBe(before.fork_count);
    expect((await soul.stranger.get("/api/my-souls")).body.total).toBe(0);
  });

  it.each([
    ["a holder", NFT, "another.near", [403, "nft_required"]],
    ["a holder", NFT, NFT, 200],
    ["a holder", NFT, null, 200],
    ["a stranger", null, NFT, [403, "nft_required"]],
  ])(
    "by %s is checked against the gate at the start (%s) and a gate set meanwhile (%s)",
    async (caller, before, meanwhile, outcome) => {
      await put({ nft_contract: before });
      const { souls } = hub.hub;
      hub.hub.souls = {
        ...souls,
        async byId(id) {
          hub.hub.souls = souls;
          const read = await souls.byId(id);
          await put({ nft_contract: meanwhile });
          return read;
        },
      };
      expect(
        codeOf(await fork(caller === "a holder" ? soul.holder : soul.stranger, soul.id)),
      ).toEqual(outcome);
    },
  );

  it("with the same Idempotency-Key is replayed; a 503 is not", async () => {
    const keyed = (key: string) =>
      soul.holder.post("/api/fork", { soul_id: soul.id }, { "idempotency-key": key });
    hub.near.fault = { status: 500 };
    expect(codeOf(await keyed("one"))).toEqual([503, "chain_unavailable"]);
    hub.near.fault = null;
    const first = await keyed("one");
    expect(first.status).toBe(200);
    hub.nft.take(`${soul.holder.name}.near`);
    hub.passTime(60_000);
    expect((await keyed("one")).body).toEqual(first.body);
    expect(codeOf(await keyed("two"))).toEqual([403, "nft_required"]);
  });

  it("is refused, while likes and ratings are allowed", async () => {
    const answers = [
      await fork(soul.stranger, soul.id),
      await like(soul.stranger, soul.id),
      await rate(soul.stranger, soul.id, 5),
    ];
    expect(answers.map(codeOf)).toEqual([[403, "nft_required"], 200, 200]);
  });
});
