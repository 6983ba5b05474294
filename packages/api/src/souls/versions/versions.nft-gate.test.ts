import { expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { describeGatedSoul } from "../../testing/describe-gated-soul.ts";
import { codeOf, GATED_SECRET, GATED_TEXT, NFT } from "../../testing/gated-hub.ts";
import { createNft } from "../../testing/servers/near-contract.ts";

/** Tests decisions §4, NFT gate, and 0014. */
describeGatedSoul("versions of a soul behind an NFT gate", (hub, soul) => {
  const read = async (actor: Actor, id = soul.id) => (await actor.get(`/api/soul/${id}`)).body.data;
  const put = (changes: object, actor = soul.owner, id = soul.id) =>
    actor.put(`/api/soul/${id}`, changes);
  const versions = async (actor: Actor) =>
    (await actor.get(`/api/versions?soul_id=${soul.id}`)).body.data;
  const hidden = async (actor: Actor) =>
    (await versions(actor)).map((one: { content_hidden: boolean }) => one.content_hidden);

  it("hide only their content from callers without an NFT", async () => {
    await put({ title: "Keeper II", description: "New" });
    const [shown] = await versions(soul.holder);
    expect(shown).toMatchObject({ title: "Keeper", content: GATED_TEXT, content_hidden: false });
    expect(await versions(soul.stranger)).toEqual([
      {
        ...shown,
        content: "",
        content_hidden: true,
        file_type: null,
        digest: null,
        content_sha256: null,
      },
    ]);
  });

  it("from before the gate are hidden by the gate, too", async () => {
    await put({ nft_contract: null });
    await put({ title: "Keeper II" });
    await put({ nft_contract: NFT });
    expect(await hidden(soul.stranger)).toEqual([true, true, true]);
  });

  it("from behind a gate stay hidden after the gate is removed or replaced", async () => {
    await put({ content: "Nothing to hide.", nft_contract: null });
    await put({ title: "Keeper II" });
    expect([await hidden(soul.stranger), await hidden(soul.holder)]).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(JSON.stringify(await versions(soul.holder))).not.toContain(GATED_SECRET);
    const another = createNft();
    hub.near.contract("another.near", another.methods);
    another.give(`${soul.holder.name}.near`);
    await put({ nft_contract: "another.near" });
    expect(await hidden(soul.holder)).toEqual([false, false, true]);
    expect(await hidden(soul.stranger)).toEqual([true, true, true]);
    await put({ nft_contract: NFT });
    expect(await hidden(soul.holder)).toEqual([true, false, false, false]);
    expect(await hidden(soul.owner)).toEqual([false, false, false, false]);
  });

  it("neither add nor remove a gate when they are restored", async () => {
    await put({ nft_contract: null });
    const [gated] = await versions(soul.owner);
    await soul.owner.post("/api/versions", { soul_id: soul.id, version_id: gated.id });
    expect(await read(hub.guest())).toMatchObject({ content: GATED_TEXT, nft_contract: null });
    const [open] = await versions(soul.owner);
    await put({ nft_contract: NFT });
    await soul.owner.post("/api/versions", { soul_id: soul.id, version_id: open.id });
    expect(await read(hub.guest())).toMatchObject({ content: "", nft_contract: NFT });
  });

  it("show no digest to callers without an NFT, and none of the present state", async () => {
    await put({ title: "Keeper II" });
    const present = async (actor: Actor) =>
      (await actor.get(`/api/version?soul_id=${soul.id}`)).body.data;
    const shown = await present(soul.holder);
    expect(shown).toMatchObject({ number: 2, content: GATED_TEXT, content_hidden: false });
    expect(shown.digest).toMatch(/^sha256:/);
    expect(await present(soul.stranger)).toEqual({
      ...shown,
      content: "",
      content_hidden: true,
      file_type: null,
      digest: null,
      content_sha256: null,
    });
    expect(await read(soul.stranger)).toMatchObject({ version: 2, digest: null, signature: null });
  });

  it("are compared for callers who may read both, else nft_required", async () => {
    const compare = async (actor: Actor, query = "") =>
      codeOf(await actor.get(`/api/version-diff?soul_id=${soul.id}${query}`));
    await put({ title: "Keeper II" });
    const refused = [403, "nft_required"];
    expect([await compare(soul.owner), await compare(soul.holder)]).toEqual([200, 200]);
    expect([await compare(soul.stranger), await compare(hub.guest())]).toEqual([refused, refused]);
    await put({ content: "Nothing to hide.", nft_contract: null });
    await put({ title: "Keeper III" });
    expect([await compare(soul.stranger), await compare(soul.stranger, "&from=1")]).toEqual([
      200,
      refused,
    ]);
    expect(await compare(soul.holder, "&from=1")).toEqual(refused);
    const { body } = await soul.holder.get(`/api/version-diff?soul_id=${soul.id}&from=1`);
    expect(body.message).toBe("This version was behind an NFT gate.");
    expect(await compare(soul.owner, "&from=1")).toBe(200);
  });
});
