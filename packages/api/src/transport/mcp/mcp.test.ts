import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withNamedKey } from "../../accounts/keys/named-key.fixture.ts";
import { keyScopes } from "../../caller/key-scopes.schema.ts";
import type { Actor } from "../../testing/actor.ts";
import type { ChatHub } from "../../testing/chat-hub.ts";
import { history, openRoom, say, startChatHub } from "../../testing/chat-hub.ts";

/** The fields of the tools' results that the tests read. */
interface Output {
  id: number;
  souls: unknown[];
  messages: unknown[];
  versions: { id: number }[];
  session_token: string;
  content_sha256: string;
}
interface Failure {
  error: { code: number; data: { error: string } };
}
type Key = Pick<Actor, "apiKey"> | undefined;

/** Souls as tools, prompts and resources of the stock clients (0054). */
describe("/mcp", () => {
  let hub: ChatHub;
  let vera: Actor;
  let soulId: number;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    hub = await startChatHub();
    vera = await hub.vip("vera");
    soulId = (await openRoom(vera, { title: "Keeper of the Light" })).soul_id;
  });
  afterAll(async () => {
    for (const client of opened) await client.close();
    await hub.close();
  });

  const init = (key: Key) => ({
    requestInit: { headers: key ? { authorization: `Bearer ${key.apiKey}` } : {} },
  });
  const url = () => new URL(`${hub.url}/mcp`);
  const info = { name: "test", version: "1.0.0" };
  async function connect(key: Key, options: object = { versionNegotiation: { mode: "auto" } }) {
    const client = new Client(info, options);
    await client.connect(new StreamableHTTPClientTransport(url(), init(key)));
    opened.push(client);
    return client;
  }
  async function connectFormer(key: Key) {
    const client = new FormerClient(info);
    await client.connect(new FormerTransport(url(), init(key)) as never);
    opened.push(client);
    return client;
  }
  const call = async (client: Client, name: string, args: object) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    const [{ text = "" } = {}] = result.content as { text?: string }[];
    return { ...result, text, output: result.structuredContent as Output };
  };
  const failureOf = async (client: Client, name: string, args: object) => {
    const { isError, text } = await call(client, name, args);
    return [isError, JSON.parse(text).error];
  };
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(url(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

  it.each([
    ["the present client", undefined, "2026-07-28"],
    ["the present client by its default", {}, "2025-11-25"],
  ])("lets %s find, read and talk to a soul", async (_, options, version) => {
    const client = await connect(vera, options);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { output } = await call(client, "search_souls", { q: "keeper" });
    expect(output.souls).toMatchObject([{ id: soulId, username: "vera" }]);
    const read = await call(client, "read_soul", { soul_id: soulId });
    expect(read.text).toContain("I keep the lighthouse at Skarholm");
    const said = await call(client, "talk_to_soul", { soul_id: soulId, message: "Is it dark?" });
    expect(said.text).toContain("Is it dark?");
    const { session_token } = said.output;
    const room = { soul_id: soulId, session_token };
    const again = await call(client, "talk_to_soul", { ...room, message: "And now?" });
    expect(again.output).toMatchObject({ session_token });
    const { messages } = (await history(vera, room)).body;
    expect(messages).toHaveLength(4);
    const { output: seen } = await call(client, "read_room", { ...room, last_id: messages[1].id });
    expect(seen.messages).toMatchObject([{ content: "And now?" }, { role: "assistant" }]);
    expect((await hub.guest().get(`/api/chat?${new URLSearchParams(room as never)}`)).status).toBe(
      401,
    );
  });

  it("lets the former sdk find, read and talk to a soul", async () => {
    const client = await connectFormer(vera);
    expect((client.transport as FormerTransport).protocolVersion).toBe("2025-11-25");
    const found = await client.callTool({ name: "search_souls", arguments: { q: "keeper" } });
    expect(found.structuredContent).toMatchObject({ souls: [{ id: soulId }] });
    const message = { soul_id: soulId, message: "Is it dark?" };
    const said = await client.callTool({ name: "talk_to_soul", arguments: message });
    expect(said.structuredContent).toMatchObject({ reply: expect.stringContaining("Is it dark?") });
  });

  it("sends the reply as progress to a client that asks for it", async () => {
    const client = await connect(vera);
    const pieces: string[] = [];
    const goOn = hub.provider.holdNext();
    const said = await client.callTool(
      { name: "talk_to_soul", arguments: { soul_id: soulId, message: "Is it dark?" } },
      {
        onprogress({ message }) {
          pieces.push(message ?? "");
          goOn();
        },
      },
    );
    expect(said.structuredContent).toMatchObject({ reply: pieces.join("") });
    expect(pieces.length).toBeGreaterThan(1);
  });

  it("begins each of several replies with the name of its soul, also as progress", async () => {
    const orla = (await vera.post("/api/souls", { title: "Orla", content: "I am Orla." })).body.id;
    const room = { soul_id: soulId, session_token: "several" };
    await say(vera, room, "Hello.");
    await vera.put("/api/room", { ...room, souls: [{ soul_id: soulId }, { soul_id: orla }] });
    const client = await connect(vera);
    const message = "@orla and @keeper-of-the-light, is it dark?";
    let pieces = "";
    const said = await client.callTool(
      { name: "talk_to_soul", arguments: { ...room, message } },
      {
        onprogress(progress) {
          pieces += progress.message ?? "";
        },
      },
    );
    const text = /^Orla:\nMy soul says[^\n]*\n\nKeeper of the Light:\nMy soul says[^\n]*$/;
    expect(pieces).toMatch(text);
    expect(said.structuredContent).toMatchObject({ reply: pieces });
  });

  it("shows guests the reading tools, and refuses the others as errors of the tool", async () => {
    const client = await connect(undefined);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search_souls",
      "similar_souls",
      "read_soul",
      "list_versions",
      "export_soul",
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    expect(await failureOf(client, "talk_to_soul", { soul_id: soulId, message: "Hi" })).toEqual([
      true,
      "unauthenticated",
    ]);
    expect(await failureOf(client, "read_soul", { soul_id: 999_999 })).toEqual([
      true,
      "soul_not_found",
    ]);
    expect(await failureOf(client, "read_soul", { soul_id: "one" })).toEqual([
      true,
      "invalid_input",
    ]);
    expect(await failureOf(client, "read_soul", { soul_id: soulId, more: 1 })).toEqual([
      true,
      "invalid_input",
    ]);
    await expect(client.callTool({ name: "no_tool", arguments: {} })).rejects.toThrow("no_tool");
  });

  it("shows a named key the tools of its scopes", async () => {
    const namesFor = async (scopes: readonly (typeof keyScopes)[number][]) => {
      const client = await connect(await withNamedKey(hub, vera, scopes));
      return { client, names: (await client.listTools()).tools.map(({ name }) => name) };
    };
    const { client, names } = await namesFor(["chat"]);
    expect(names.slice(5)).toEqual(["talk_to_soul", "read_room"]);
    const soul = { title: "New", content: "I am new." };
    expect(await failureOf(client, "publish_soul", soul)).toEqual([true, "scope_missing"]);
    expect((await namesFor(keyScopes)).names).toHaveLength(9);
  });

  it("publishes, changes on a condition, and restores", async () => {
    const client = await connect(vera);
    const soul = { title: "Draft", content: "I am a draft." };
    const dry = await call(client, "publish_soul", { ...soul, dry_run: true });
    expect(dry.output).toMatchObject({ id: null });
    const { id } = (await call(client, "publish_soul", soul)).output;
    expect((await hub.guest().get(`/api/soul/${id}`)).status).toBe(404);
    const { content_sha256 } = (await call(client, "read_soul", { soul_id: id })).output;
    const next = { ...soul, content: "I am final.", soul_id: id };
    const saved = await call(client, "publish_soul", { ...next, expected_sha256: content_sha256 });
    expect(saved.output).toMatchObject({ id, version: 2 });
    expect(
      await failureOf(client, "publish_soul", { ...next, expected_sha256: content_sha256 }),
    ).toEqual([true, "soul_changed"]);
    const { versions } = (await call(client, "list_versions", { soul_id: id })).output;
    const [former] = versions;
    await call(client, "restore_version", { soul_id: id, version_id: former?.id });
    expect((await call(client, "read_soul", { soul_id: id })).text).toBe("I am a draft.");
  });

  it("needs no key, refuses a bad one, and leads to no OAuth server", async () => {
    const { status, headers } = await post(listTools);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store, no-transform"]);
    const bad = await post(listTools, { authorization: "Bearer shk_wrong" });
    expect([bad.status, bad.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    for (const name of ["oauth-protected-resource", "openid-configuration"]) {
      const found = await fetch(`${hub.url}/.well-known/${name}`);
      expect([found.status, found.headers.get("content-type")]).toEqual([
        404,
        expect.stringContaining("application/json"),
      ]);
      // Below /.well-known is no endpoint of the protocol, so the failure has the hub's own form.
      expect(await found.json()).toMatchObject({ success: false, error: "not_found" });
    }
  });

  it("answers other methods, broken JSON and foreign pages with a failure", async () => {
    for (const method of ["GET", "DELETE"]) {
      const { status, headers } = await fetch(url(), { method });
      expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
    const broken = await post("{");
    expect([broken.status, ((await broken.json()) as Failure).error.code]).toEqual([400, -32_700]);
    const foreign = await post(listTools, { origin: "https://evil.example" });
    expect([foreign.status, ((await foreign.json()) as Failure).error.data.error]).toEqual([
      403,
      "csrf_rejected",
    ]);
    const local = await post(listTools, { origin: "http://localhost:6274" });
    expect([local.status, local.headers.get("access-control-allow-origin")]).toEqual([
      200,
      "http://localhost:6274",
    ]);
  });
});
