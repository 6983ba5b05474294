import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Actor, describeChat } from "@soul-hub/api/testing";
import { beforeAll, expect, it } from "vitest";
import { bundle, keyOf, startMachine } from "./soul-hub.fixture.ts";

/** `soul-hub mcp` in front of `/mcp`, for the stock client (0055). */
describeChat("soul-hub mcp", {}, (hub) => {
  let vera: Actor;
  let id: number;
  beforeAll(async () => {
    vera = await hub.vip("vera");
    const soul = { title: "Keeper of the Light ☀", content: "I keep the light." };
    id = (await vera.post("/api/souls", soul)).body.id;
  });

  async function connect(mode: "auto" | "legacy", key?: string) {
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
    const env = { SOUL_HUB_URL: hub.url, ...(key && { SOUL_HUB_KEY: key }) };
    const [command, args] = [process.execPath, [await bundle(), "mcp"]];
    await client.connect(new StdioClientTransport({ command, args, env, stderr: "pipe" }));
    return client;
  }

  it.each([
    ["auto", "2026-07-28"],
    ["legacy", "2025-11-25"],
  ] as const)("serves the stock client (%s)", async (mode, version) => {
    const client = await connect(mode, await keyOf(vera));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("publish_soul");
    const read = await client.callTool({ name: "read_soul", arguments: { soul_id: id } });
    expect(read.content).toMatchObject([{ text: expect.stringContaining("I keep the light.") }]);
    const { prompts } = await client.listPrompts();
    const name = `keeper-of-the-light-${id}`;
    expect(prompts.map((prompt) => prompt.name)).toContain(name);
    const prompt = await client.getPrompt({ name, arguments: { message: "Dunkel ☾?" } });
    expect(JSON.stringify(prompt.messages)).toContain("Dunkel ☾?");
    const { contents } = await client.readResource({ uri: `soul-hub://soul/${id}` });
    expect(contents).toHaveLength(1);
    // The client drops progress that arrives in one piece with the result, so the reply waits for it.
    const release = hub.provider.holdNext();
    const pieces: string[] = [];
    const onprogress = ({ message = "" }) => {
      pieces.push(message);
      release();
    };
    const said = await client.callTool(
      { name: "talk_to_soul", arguments: { soul_id: id, message: "Is it dark?" } },
      { onprogress },
    );
    expect(said.structuredContent).toMatchObject({
      reply: expect.stringContaining("Is it dark?"),
    });
    expect(pieces[0]).toBe("My ");
    await expect(client.getPrompt({ name: "unknown" })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  it("serves a guest, and cancels a call at the hub", async () => {
    const guest = await connect("auto");
    expect((await guest.listTools()).tools).toHaveLength(5);
    await guest.close();
    const client = await connect("auto", await keyOf(vera));
    const cancelled = new AbortController();
    hub.provider.holdNext();
    const before = hub.provider.requests.length;
    const call = client.callTool(
      { name: "talk_to_soul", arguments: { soul_id: id, message: "Is it dark?" } },
      { signal: cancelled.signal },
    );
    const request = await hub.provider.received(before + 1);
    cancelled.abort();
    await expect(call).rejects.toThrow();
    expect(await request.ended).toBe("cancelled");
    await client.close();
  });

  it("writes nothing but JSON-RPC, also for a bad line, a bad key and a hub that is away", async () => {
    await using machine = await startMachine(hub);
    const input = '{"jsonrpc":"2.0","id":"a","method":"tools/list"}\n{\n\n';
    const answers = async (env: Record<string, string>) => {
      const { code, stdout } = await machine.run(["mcp"], { env, input });
      const lines = stdout.trim().split("\n");
      return [code, ...lines.map((line) => JSON.parse(line)).sort((a) => (a.id === "a" ? -1 : 1))];
    };
    const badLine = { id: null, error: { code: -32_700 } };
    const answered = { jsonrpc: "2.0", id: "a", result: expect.anything() };
    expect(await answers({})).toMatchObject([0, answered, badLine]);
    const unknown = `shk_${"0".repeat(36)}`;
    expect(await answers({ SOUL_HUB_KEY: unknown })).toMatchObject([
      0,
      { id: "a", error: { data: { error: "unauthenticated" } } },
      badLine,
    ]);
    expect(await answers({ SOUL_HUB_URL: "http://127.0.0.1:1" })).toMatchObject([
      0,
      { id: "a", error: { message: "No hub answers at http://127.0.0.1:1." } },
      badLine,
    ]);
  });
});
