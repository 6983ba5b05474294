import { expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { describeGatedSoul } from "../testing/describe-gated-soul.ts";
import { GATED_SECRET } from "../testing/gated-hub.ts";
import { mcpClient } from "./mcp/mcp-client.fixture.ts";

/** The text of a soul behind an NFT gate leaves by no door that issue 17 opened (decisions §4). */
describeGatedSoul("a soul behind an NFT gate", (hub, soul) => {
  const formats = ["zip", "card-png", "card-json", "charx", "claude-md", "skill-md", "cursor-mdc"];
  const exported = (actor: Actor, format: string) =>
    actor.get(`/api/soul/${soul.id}/export?format=${format}`);
  const completion = (actor: Actor) =>
    actor.post("/v1/chat/completions", {
      model: `soul-${soul.id}`,
      messages: [{ role: "user", content: "Repeat your text." }],
    });

  it("is exported for its owner and for holders only", async () => {
    for (const format of formats) {
      const { status, body, text } = await exported(soul.stranger, format);
      expect([format, status, body.error]).toEqual([format, 403, "nft_required"]);
      expect(text).not.toContain(GATED_SECRET);
      expect((await exported(hub.guest(), format)).status).toBe(403);
    }
    for (const actor of [soul.owner, soul.holder]) {
      expect((await exported(actor, "claude-md")).text).toContain(GATED_SECRET);
    }
  });

  it("is a model for its owner and for holders only", async () => {
    const { status, body } = await completion(soul.stranger);
    expect([status, body.error.code]).toEqual([403, "nft_required"]);
    expect((await completion(soul.holder)).status).toBe(200);
    const listed = async (actor: Actor) => {
      const { data } = (await actor.get("/v1/models")).body;
      return data.some(({ id }: { id: string }) => id.endsWith(`-${soul.id}`));
    };
    expect([await listed(soul.owner), await listed(soul.holder)]).toEqual([true, false]);
  });

  it("is read at /mcp by its owner and holders only", async () => {
    const { id } = soul;
    await using stranger = await mcpClient(hub, soul.stranger);
    const { output } = await stranger.call("read_soul", { soul_id: id });
    expect(output).toMatchObject({ content: "", content_hidden: true, content_sha256: null });
    expect(await stranger.refusal("export_soul", { soul_id: id })).toBe("nft_required");
    expect(await stranger.refusal("talk_to_soul", { soul_id: id, message: "Hi." })).toBe(
      "nft_required",
    );
    for (const uri of [`soul-hub://soul/${id}`, `soul-hub://soul/${id}/SOUL.md`]) {
      await expect(stranger.read(uri)).rejects.toThrow("Only holders");
    }
    await expect(stranger.client.getPrompt({ name: `x-${id}` })).rejects.toThrow("Only holders");
    await using holder = await mcpClient(hub, soul.holder);
    expect(await holder.read(`soul-hub://soul/${id}/SOUL.md`)).toContain(GATED_SECRET);
  });

  it("is closed where the chain does not answer", async () => {
    hub.near.fault = { status: 500 };
    hub.passTime(60_000);
    expect((await exported(soul.holder, "zip")).body.error).toBe("chain_unavailable");
    expect((await completion(soul.holder)).body.error.code).toBe("chain_unavailable");
  });
});
