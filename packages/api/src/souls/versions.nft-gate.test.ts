import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  GATED_SECRET,
  GATED_TEXT,
  type GatedHub,
  NFT,
  startGatedHub,
} from "../testing/gated-hub.ts";
import { createNft } from "../testing/near-contract.ts";
import { testDatabases } from "../testing/test-database.ts";

/** Decisions §4, NFT gate; docs/decisions/0014. */
describe.each(testDatabases())("the history of a soul behind an NFT gate on %s", (database) => {
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
  const versions = async (actor: Actor) =>
    (await actor.get(`/api/versions?soul_id=${soul}`)).body.data;
  const hidden = async (actor: Actor) =>
    (await versions(actor)).map((one: { content_hidden: boolean }) => one.content_hidden);

  it("says what changed when, and hides only the texts", async () => {
    await put({ title: "Keeper II", description: "New" });
    const [shown] = await versions(holder);
    expect(shown).toMatchObject({ title: "Keeper", content: GATED_TEXT, content_hidden: false });
    expect(await versions(stranger)).toEqual([{ ...shown, content: "", content_hidden: true }]);
  });

  it("from before the gate is behind it too", async () => {
    await put({ nft_contract: null });
    await put({ title: "Keeper II" });
    await put({ nft_contract: NFT });
    expect(await hidden(stranger)).toEqual([true, true, true]);
  });

  it("from behind a gate stays hidden when the gate goes, or becomes another", async () => {
    await put({ content: "Nothing to hide.", nft_contract: null });
    await put({ title: "Keeper II" });
    expect([await hidden(stranger), await hidden(holder)]).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(JSON.stringify(await versions(holder))).not.toContain(GATED_SECRET);
    const another = createNft();
    hub.near.contract("another.near", another.methods);
    another.give(`${holder.name}.near`);
    await put({ nft_contract: "another.near" });
    expect(await hidden(holder)).toEqual([false, false, true]);
    expect(await hidden(stranger)).toEqual([true, true, true]);
    await put({ nft_contract: NFT });
    expect(await hidden(holder)).toEqual([true, false, false, false]);
    expect(await hidden(owner)).toEqual([false, false, false, false]);
  });

  it("brings no gate back and takes none away, as with visibility", async () => {
    await put({ nft_contract: null });
    const [gated] = await versions(owner);
    await owner.post("/api/versions", { soul_id: soul, version_id: gated.id });
    expect(await read(hub.guest())).toMatchObject({ content: GATED_TEXT, nft_contract: null });
    const [open] = await versions(owner);
    await put({ nft_contract: NFT });
    await owner.post("/api/versions", { soul_id: soul, version_id: open.id });
    expect(await read(hub.guest())).toMatchObject({ content: "", nft_contract: NFT });
  });
});
