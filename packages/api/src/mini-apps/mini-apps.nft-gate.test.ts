import { expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { codeOf, NFT, startGatedHub } from "../testing/gated-hub.ts";

it("a soul matches no mini app while it has an NFT gate", async () => {
  await using hub = await startGatedHub();
  const { owner, holder, guest, "without a wallet": stranger } = hub.people;
  const { body } = await owner.post("/api/souls", {
    title: "Chess",
    content: "Knows every opening.",
    nft_contract: NFT,
  });
  const fields = { lesson: "Train tactics", question: "Forks" };
  const submit = (actor: Actor) =>
    actor.post("/api/apps", { slug: "chess-lesson", soul_id: body.id, fields });
  const listed = async () =>
    (await guest.get("/api/apps?slug=chess-lesson")).body.data.souls.map(
      ({ id }: { id: number }) => id,
    );
  for (const actor of [owner, holder, stranger]) {
    expect(codeOf(await submit(actor))).toEqual([400, "soul_not_eligible"]);
  }
  expect(await listed()).toEqual([]);
  await owner.put(`/api/soul/${body.id}`, { nft_contract: null });
  expect(await listed()).toEqual([body.id]);
  expect(codeOf(await submit(stranger))).toBe(200);
});
