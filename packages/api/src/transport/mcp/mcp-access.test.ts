import { request } from "node:http";
import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import { withNamedKey } from "../../accounts/keys/named-key.fixture.ts";
import { keyScopes } from "../../caller/key-scopes.schema.ts";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { mcpClient } from "./mcp-client.fixture.ts";

const SECRET = "The key lies under the third step.";

/** Access to `/mcp` (0050, 0054). */
describeChat("the access to /mcp", {}, (hub) => {
  let vera: Actor;
  let bob: Actor;
  let open: number;
  let closed: number;
  const without = (scope: string) => keyScopes.filter((one) => one !== scope);

  beforeAll(async () => {
    [vera, bob] = [await hub.vip("vera"), await hub.vip("bob")];
    open = (await openRoom(vera, { title: "Keeper of the Light" })).soul_id;
    closed = (await openRoom(vera, { title: "Keeper at home", content: SECRET, is_public: 0 }))
      .soul_id;
  });

  const readings = (id: number): [string, object][] => [
    ["read_soul", { soul_id: id }],
    ["list_versions", { soul_id: id }],
    ["export_soul", { soul_id: id, format: "claude-md" }],
    ["talk_to_soul", { soul_id: id, message: "Where is the key?" }],
  ];

  it("hides private souls of others in every tool, prompt, list and resource", async () => {
    await using mcp = await mcpClient(hub, bob);
    for (const [tool, args] of readings(closed)) {
      expect([tool, await mcp.refusal(tool, args)]).toEqual([tool, "soul_not_found"]);
    }
    await expect(mcp.read(`soul-hub://soul/${closed}`)).rejects.toThrow();
    await expect(mcp.client.getPrompt({ name: `x-${closed}` })).rejects.toThrow();
    const lists = [
      await mcp.client.listPrompts(),
      await mcp.client.listResources(),
      (await mcp.call("search_souls", { q: "Keeper" })).output,
    ];
    expect(JSON.stringify(lists)).not.toContain("Keeper at home");
    expect(JSON.stringify(lists)).toContain("Keeper of the Light");
  });

  it("shows a key its owner's private souls with the scope souls:read only", async () => {
    await using allowed = await mcpClient(hub, await withNamedKey(hub, vera, ["souls:read"]));
    expect((await allowed.call("read_soul", { soul_id: closed })).text).toBe(SECRET);
    expect(JSON.stringify(await allowed.client.listPrompts())).toContain("Keeper at home");
    await using mcp = await mcpClient(hub, await withNamedKey(hub, vera, without("souls:read")));
    for (const [tool, args] of readings(closed)) {
      expect([tool, await mcp.refusal(tool, args)]).toEqual([tool, "scope_missing"]);
    }
    await expect(mcp.read(`soul-hub://soul/${closed}`)).rejects.toThrow("souls:read");
    await expect(mcp.client.getPrompt({ name: `x-${closed}` })).rejects.toThrow("souls:read");
    const lists = [await mcp.client.listPrompts(), await mcp.client.listResources()];
    expect(JSON.stringify(lists)).not.toContain("Keeper at home");
    expect(await mcp.refusal("search_souls", { mine: true })).toBe("scope_missing");
  });

  it("finds one's own souls by words, private ones too", async () => {
    await using mcp = await mcpClient(hub, vera);
    const found = async (args: object) => {
      const { output } = await mcp.call("search_souls", { mine: true, ...args });
      return (output.souls as { id: number }[]).map(({ id }) => id);
    };
    expect(await found({})).toEqual([closed, open]);
    expect(await found({ q: "HOME keeper" })).toEqual([closed]);
    expect(await found({ q: "100%" })).toEqual([]);
    expect(await found({ role: "storytelling" })).toEqual([]);
    expect(await found({ sort: "updated", limit: 1, offset: 1 })).toEqual([open]);
    await using guest = await mcpClient(hub, hub.guest());
    expect(await guest.refusal("search_souls", { mine: true })).toBe("unauthenticated");
  });

  it("refuses a dry run of what would be refused", async () => {
    await using mcp = await mcpClient(hub, bob);
    const soul = { title: "Mine", content: "Now.", dry_run: true };
    expect(await mcp.refusal("publish_soul", { ...soul, soul_id: open })).toBe("not_owner");
    expect(await mcp.refusal("publish_soul", { ...soul, soul_id: closed })).toBe("soul_not_found");
    await using own = await mcpClient(hub, await withNamedKey(hub, vera, ["souls:write"]));
    const wrong = { ...soul, soul_id: closed, expected_sha256: "0".repeat(64) };
    expect(await own.refusal("publish_soul", wrong)).toBe("soul_changed");
    const folder = JSON.stringify({ "../SOUL.md": "x" });
    expect(await own.refusal("publish_soul", { ...soul, content: folder })).toBe("invalid_input");
    const { output } = await own.call("publish_soul", { ...soul, soul_id: closed });
    expect(output).toMatchObject({ id: closed, version: null });
    expect((await vera.get(`/api/soul/${closed}`)).body.data.title).toBe("Keeper at home");
  });

  it("talks to a soul at the own provider's cost without a pass, and stores nothing", async () => {
    const fred = await hub.member("fred");
    await using mcp = await mcpClient(hub, fred);
    const message = { soul_id: open, message: "Is it dark?" };
    expect(await mcp.refusal("talk_to_soul", message)).toBe("pass_required");
    const key = { provider: "openai-compatible", api_key: "sk-own", base_url: hub.provider.url };
    await fred.put("/api/byok", { ...key, text_model: "own-model" });
    const { output } = await mcp.call("talk_to_soul", message);
    expect(output).toMatchObject({ session_token: null, message_id: null, url: null });
    expect(hub.provider.requests.at(-1)).toMatchObject({ model: "own-model" });
    expect((await fred.get("/api/my-chats")).body.sessions).toEqual([]);
    hub.provider.failNext("empty");
    expect(await mcp.refusal("talk_to_soul", message)).toBe("provider_failed");
  });

  it("keeps a room that it begins from others, and enters no private room of others", async () => {
    await using mcp = await mcpClient(hub, vera);
    const message = { soul_id: open, message: "Is it dark?" };
    const { session_token } = (await mcp.call("talk_to_soul", message)).output;
    await using stranger = await mcpClient(hub, bob);
    const room = { soul_id: open, session_token };
    expect(await stranger.refusal("read_room", room)).toBe("private_session");
    expect(await stranger.refusal("talk_to_soul", { ...room, message: "Hm?" })).toBe(
      "private_session",
    );
  });

  it("reads a room after a message that the reader knows", async () => {
    const room = { soul_id: open, session_token: "harbour" };
    const { body } = await say(vera, room, "One.");
    await say(vera, room, "Two.");
    await using mcp = await mcpClient(hub, vera);
    const { output } = await mcp.call("read_room", { ...room, last_id: body.message_id });
    expect(output).toMatchObject({
      has_more: false,
      messages: [{ content: "Two.", role: "user" }, { role: "assistant" }],
    });
  });

  it("reads the open messages of the conversation, and others only if asked for", async () => {
    const room = { soul_id: open, session_token: "quay" };
    const tell = (content: string) => vera.post("/api/say", { ...room, content });
    const first = (await say(vera, room, "One.")).body;
    await say(vera, room, "Two.");
    const { question_id } = (await say(vera, room, "Two again.", { parent_id: first.message_id }))
      .body;
    const aside = (await tell("The key lies under the third step.")).body.message_id;
    const { body } = await say(vera, room, "Forget me.");
    for (const id of [body.question_id, body.message_id]) {
      await vera.delete(`/api/message?soul_id=${open}&session_token=quay&id=${id}`);
    }
    for (let n = 0; n < 205; n++) await tell(`Aside ${n}.`);
    await using mcp = await mcpClient(hub, vera);
    const read = async (more: object = {}) => {
      const { output } = await mcp.call("read_room", { ...room, ...more });
      return output as { messages: { id: number }[]; has_more: boolean };
    };
    const seen = await read();
    const reply = question_id + 1;
    expect(seen.messages.map(({ id }) => id)).toEqual([
      first.question_id,
      first.message_id,
      question_id,
      reply,
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/off_record|third step|Aside/);
    const all = await read({ off_record: true });
    expect([all.has_more, all.messages.length]).toEqual([true, 200]);
    const newer = await read({ off_record: true, last_id: reply });
    expect(newer.messages).toHaveLength(200);
    await sql`delete from chat_messages where content like 'Aside %'`.execute(hub.hub.database.db);
    expect((await read({ off_record: true, last_id: reply })).messages).toMatchObject([
      { id: aside, off_record: true },
    ]);
  });

  it("lets caches share what guests get, and keep what others get to themselves", async () => {
    await using guest = await mcpClient(hub, hub.guest());
    await using own = await mcpClient(hub, vera);
    const scopes = async ({ client }: typeof own) => {
      const uri = `soul-hub://soul/${open}`;
      const results = [
        await client.listTools(),
        await client.listPrompts(),
        await client.listResources(),
        await client.readResource({ uri }),
      ];
      return new Set(results.map((result) => (result as { cacheScope?: string }).cacheScope));
    };
    expect([await scopes(guest), await scopes(own)]).toEqual([
      new Set(["public"]),
      new Set(["private"]),
    ]);
  });

  it("has no resource at an address that is broken or unknown", async () => {
    await using mcp = await mcpClient(hub, vera);
    for (const uri of [
      `soul-hub://soul/${open}/%zz`,
      `soul-hub://soul/${open}/__proto__`,
      "soul-hub://soul/0",
      "soul-hub://soul/9999999999999999999",
      "https://example.org/",
      "file:///etc/passwd",
    ]) {
      await expect(mcp.read(uri), uri).rejects.toThrow();
    }
    expect(hub.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it("takes no body of more than 1 MiB, and names that of another host a forgery", async () => {
    const big = { jsonrpc: "2.0", id: 1, method: "ping", params: { a: "x".repeat(1_100_000) } };
    expect((await vera.post("/mcp", big)).status).toBe(413);
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve) => {
      const { hostname, port } = new URL(hub.url);
      const headers = { host: "evil.example", "content-type": "application/json" };
      const asked = request(
        { hostname, port, path: "/mcp", method: "POST", headers },
        async (answer) => {
          const pieces = await answer.toArray();
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
        },
      );
      asked.end("{}");
    });
    expect([status, JSON.parse(text).error.data.error]).toEqual([403, "csrf_rejected"]);
  });
});
