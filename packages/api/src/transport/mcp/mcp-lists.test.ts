import { beforeAll, expect, it } from "vitest";
import { miniApps } from "../../mini-apps/catalogue.ts";
import type { Actor } from "../../testing/actor.ts";
import { openRoom } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { mcpClient } from "./mcp-client.fixture.ts";

/** Prompts, their completions, and resources of `/mcp` (0054). */
describeChat("/mcp", {}, (hub) => {
  let vera: Actor;
  let soulId: number;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    soulId = (await openRoom(vera, { title: "Keeper of the Light" })).soul_id;
  });

  it("offers the shelf and the mini apps as prompts, and completes their arguments", async () => {
    await using mcp = await mcpClient(hub, vera);
    const { client } = mcp;
    const { prompts } = await client.listPrompts();
    const name = `keeper-of-the-light-${soulId}`;
    expect(prompts.map((prompt) => prompt.name)).toEqual(
      expect.arrayContaining([name, "app-code-review"]),
    );
    const { messages } = await client.getPrompt({ name, arguments: { message: "Hello" } });
    expect(JSON.stringify(messages[0])).toContain("I keep the lighthouse at Skarholm");
    expect(messages[1]?.content).toEqual({ type: "text", text: "Hello" });
    await expect(client.getPrompt({ name, arguments: { mesage: "Hello" } })).rejects.toThrow(
      "mesage",
    );
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "app-code-review" },
      argument: { name: "soul_id", value: "keep" },
    });
    expect(completion.values).toEqual([String(soulId)]);
    const valuesOf = async (prompt: string, argument: string) => {
      const ref = { type: "ref/prompt" as const, name: prompt };
      const asked = await client.complete({ ref, argument: { name: argument, value: "" } });
      return asked.completion.values;
    };
    const select = [...miniApps.values()].find(({ fields }) =>
      fields.some(({ type }) => type === "select"),
    );
    const field = select?.fields.find(({ type }) => type === "select");
    expect(await valuesOf(`app-${select?.entry.slug}`, field?.name ?? "")).toEqual(
      field && "options" in field ? field.options : [],
    );
    expect(await valuesOf(name, "message")).toEqual([]);
    expect(await valuesOf("no-prompt", "x")).toEqual([]);
  });

  it("finds a soul whose title begins like the name of a mini app", async () => {
    const { body } = await vera.post("/api/souls", { title: "App reviewer", content: "I review." });
    await using mcp = await mcpClient(hub, vera);
    const { messages } = await mcp.client.getPrompt({ name: `app-reviewer-${body.id}` });
    expect(JSON.stringify(messages)).toContain("I review.");
    await expect(mcp.client.getPrompt({ name: "app-none" })).rejects.toThrow("name");
  });

  it("refuses arguments that no text can hold", async () => {
    await using mcp = await mcpClient(hub, vera);
    const prompt = { name: `x-${soulId}`, arguments: { message: "a\0b" } };
    await expect(mcp.client.getPrompt(prompt)).rejects.toThrow("message");
    const soul = { title: "Nil", content: "a\0b", dry_run: true };
    expect(await mcp.refusal("publish_soul", soul)).toBe("invalid_input");
    expect(await mcp.refusal("search_souls", { q: "\ud800" })).toBe("invalid_input");
  });

  it.each(["-5", "1.5", "x", "Infinity"])("has no page at the cursor %s", async (cursor) => {
    const raw = { jsonrpc: "2.0", id: 1, method: "resources/list", params: { cursor } };
    const accept = { accept: "application/json, text/event-stream" };
    const { text } = await vera.post("/mcp", raw, accept);
    expect(text).toContain('"code":-32602,"message":"cursor is that of no page."');
  });

  it("serves souls, their files and versions as resources", async () => {
    await using mcp = await mcpClient(hub, vera);
    const { client } = mcp;
    const files = { "SOUL.md": "I am two files.", "STYLE.md": "Short." };
    const content = JSON.stringify(files);
    const { id } = (
      await vera.post("/api/souls", { title: "Two", content, file_type: "full_soul_folder" })
    ).body;
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`soul-hub://soul/${id}`);
    const { read } = mcp;
    expect(await read(`soul-hub://soul/${id}`)).toContain("I am two files.");
    expect(await read(`soul-hub://soul/${id}/STYLE.md`)).toBe("Short.");
    await vera.put(`/api/soul/${id}`, { content: "I am one." });
    const { data } = (await vera.get(`/api/versions?soul_id=${id}`)).body;
    expect(await read(`soul-hub://soul/${id}/versions/${data[0].id}`)).toContain("two files");
    await expect(read(`soul-hub://soul/${id}/NONE.md`)).rejects.toThrow();
  });

  it("pages resources by 50, and begins with the own souls", async () => {
    const bob = await hub.vip("bob");
    for (let nth = 0; nth < 51; nth++) {
      await bob.post("/api/souls", { title: `Soul ${nth}`, content: "x", is_public: 0 });
    }
    await using mcp = await mcpClient(hub, bob);
    const { resources } = await mcp.client.listResources();
    expect(resources.length).toBeGreaterThan(50);
    expect(resources[0]?.title).toBe("Soul 50");
    const raw = { jsonrpc: "2.0", id: 1, method: "resources/list", params: {} };
    const accept = { accept: "application/json, text/event-stream" };
    const page = (await bob.post("/mcp", raw, accept)).text;
    expect(page.match(/"uri":/g)).toHaveLength(50);
    expect(page).toContain('"nextCursor":"50"');
  });
});
