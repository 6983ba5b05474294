import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { codeOf, GATED_TEXT, type GatedHub, NFT, startGatedHub } from "../testing/gated-hub.ts";
import { testDatabases } from "../testing/test-database.ts";
import { fork, like, rate } from "./social.fixture.ts";

/** Decisions §4, NFT gate. */
describe.each(testDatabases())("a fork of a soul behind an NFT gate on %s", (database) => {
  let hub: GatedHub;
  let owner: Actor;
  let holder: Actor;
  let stranger: Actor;
  let soul: number;
  let holders = 0;
  beforeAll(async () => {
    hub = await startGatedHub(database);
    owner = hub.people.owner;
    stranger = hub.people["without a wallet"];
  });
  beforeEach(async () => {
    holder = await hub.holder(`holder-${++holders}`);
    soul = (await hub.openGated()).soul_id;
  });
  afterAll(() => hub.close());

  const read = async (actor: Actor, id = soul) => (await actor.get(`/api/soul/${id}`)).body.data;
  const put = (changes: object, actor = owner, id = soul) => actor.put(`/api/soul/${id}`, changes);

  it("takes the gate along, and its own owner passes it", async () => {
    const { body } = await fork(holder, soul);
    hub.nft.take(`${holder.name}.near`);
    hub.passTime(60_000);
    expect(await read(holder, body.new_soul_id)).toMatchObject({
      content: GATED_TEXT,
      nft_contract: NFT,
      forked_from: soul,
    });
    await put({ is_public: 1 }, holder, body.new_soul_id);
    expect(await read(stranger, body.new_soul_id)).toMatchObject({
      content: "",
      content_hidden: true,
      nft_contract: NFT,
    });
  });

  it("is refused without a trace", async () => {
    const before = await read(owner);
    expect(codeOf(await fork(stranger, soul))).toEqual([403, "nft_required"]);
    expect((await read(owner)).fork_count).toBe(before.fork_count);
    expect((await stranger.get("/api/my-souls")).body.total).toBe(0);
  });

  it.each([
    ["a holder", NFT, "another.near", [403, "nft_required"]],
    ["a holder", NFT, NFT, 200],
    ["a holder", NFT, null, 200],
    ["a stranger", null, NFT, [403, "nft_required"]],
  ])(
    "by %s is judged by the gate it was asked behind (%s) and the one put up meanwhile (%s)",
    async (who, before, meanwhile, outcome) => {
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
      expect(codeOf(await fork(who === "a holder" ? holder : stranger, soul))).toEqual(outcome);
    },
  );

  it("repeated with its key is the first one, and a 503 is tried anew", async () => {
    const keyed = (key: string) =>
      holder.post("/api/fork", { soul_id: soul }, { "idempotency-key": key });
    hub.near.fault = { status: 500 };
    expect(codeOf(await keyed("one"))).toEqual([503, "chain_unavailable"]);
    hub.near.fault = null;
    const first = await keyed("one");
    expect(first.status).toBe(200);
    hub.nft.take(`${holder.name}.near`);
    hub.passTime(60_000);
    expect((await keyed("one")).body).toEqual(first.body);
    expect(codeOf(await keyed("two"))).toEqual([403, "nft_required"]);
  });

  it("is refused, but a like and a rating are everybody's who sees it", async () => {
    const answers = [
      await fork(stranger, soul),
      await like(stranger, soul),
      await rate(stranger, soul, 5),
    ];
    expect(answers.map(codeOf)).toEqual([[403, "nft_required"], 200, 200]);
  });
});
