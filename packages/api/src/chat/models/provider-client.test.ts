import { describe, expect, it } from "vitest";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import { configFor, modelRequest, modelsOn, readReply } from "./models.fixture.ts";
import { createModels } from "./models.ts";
import type { ModelsConfig } from "./models-config.ts";

/** Creates a `fetch` that answers every request with the given events and records the requests. */
function scripted(events: object[]) {
  const seen: { url: string; headers: Headers; body: string }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    seen.push({ url: String(input), headers, body: String(init?.body) });
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { fetch, seen };
}

const keys: ModelsConfig["keys"] = { openai: "sk-o", anthropic: "sk-a", google: "sk-g" };
const config = (text: string): ModelsConfig => ({
  text,
  vision: null,
  premium: null,
  summary: null,
  keys,
  openaiCompatible: {},
  timeoutMs: 60_000,
});

describe("openai", () => {
  it("calls chat completions with its key", async () => {
    await using server = await startOpenAiServer();
    const models = createModels(config("openai:gpt-5-mini"), { baseUrls: { openai: server.url } });
    const reply = await readReply(models, modelRequest({ deepThink: true }));
    expect(reply.text).toContain("lighthouse");
    expect(server.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      authorization: "Bearer sk-o",
      model: "gpt-5-mini",
      reasoningEffort: "high",
    });
  });

  it("fails if the stream ends early", async () => {
    await using server = await startOpenAiServer({ fault: () => "half" });
    const models = createModels(config("openai:gpt-5-mini"), { baseUrls: { openai: server.url } });
    await expect(readReply(models)).rejects.toMatchObject({ code: "provider_failed" });
  });

  it("uses its public URL regardless of the environment", async () => {
    const { fetch, seen } = scripted([]);
    process.env.OPENAI_BASE_URL = "http://127.0.0.1:9/v1";
    await readReply(createModels(config("openai:gpt-5-mini"), { fetch })).catch(() => {});
    delete process.env.OPENAI_BASE_URL;
    expect(seen[0]?.url).toBe("https://api.openai.com/v1/chat/completions");
  });
});

describe("anthropic", () => {
  it("streams the text without reasoning", async () => {
    const { fetch, seen } = scripted([
      {
        type: "message_start",
        message: {
          id: "m",
          model: "x",
          role: "assistant",
          content: [],
          usage: { input_tokens: 7, output_tokens: 0 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "thinking_delta", thinking: "SECRET" },
      },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "It is " } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "dark." } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    ]);
    const models = createModels(config("anthropic:claude-sonnet-4-5"), { fetch });
    const reply = await readReply(models, modelRequest({ deepThink: true }));
    // Both texts arrive in one read.
    expect(reply.pieces).toEqual(["It is dark."]);
    expect(reply.usage).toEqual({
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      inputTokens: 7,
      outputTokens: 3,
      finish: "stop",
      toolCalls: [],
    });
    expect(seen[0]?.url).toBe("https://api.anthropic.com/v1/messages");
    expect(seen[0]?.headers.get("x-api-key")).toBe("sk-a");
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ thinking: { type: "enabled" } });
  });
});

describe("google", () => {
  it("streams the text without reasoning", async () => {
    const part = (text: string, thought = false) => ({
      content: { role: "model", parts: [{ text, thought }] },
    });
    const { fetch, seen } = scripted([
      { candidates: [part("SECRET", true)] },
      { candidates: [part("It is ")] },
      {
        candidates: [{ ...part("dark."), finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 },
      },
    ]);
    const models = createModels(config("google:gemini-2.5-flash"), { fetch });
    const reply = await readReply(models, modelRequest({ deepThink: true }));
    expect(reply.pieces).toEqual(["It is ", "dark."]);
    expect(reply.usage).toMatchObject({ provider: "google", inputTokens: 7, outputTokens: 3 });
    expect(seen[0]?.url).toMatch(
      /^https:\/\/generativelanguage\.googleapis\.com\/v1beta\/models\/gemini-2\.5-flash:streamGenerateContent/,
    );
    expect(seen[0]?.url).not.toContain("sk-g");
    expect(seen[0]?.headers.get("x-goog-api-key")).toBe("sk-g");
  });

  it("keeps both calls of a tool whose argument looks like a text delta", async () => {
    const call = (text: string) => ({
      content: { parts: [{ functionCall: { name: "edit", args: { delta: { text } } } }] },
    });
    const { fetch } = scripted([
      { candidates: [call("a")] },
      { candidates: [call("b")] },
      { candidates: [{ content: { parts: [] }, finishReason: "STOP" }] },
    ]);
    const models = createModels(config("google:gemini-2.5-flash"), { fetch });
    const choices = { tools: [{ name: "edit", parameters: { type: "object" } }] };
    const { usage } = await readReply(models, modelRequest({ choices }));
    expect(usage.toolCalls.map(({ arguments: json }) => json)).toEqual([
      '{"delta":{"text":"a"}}',
      '{"delta":{"text":"b"}}',
    ]);
  });
});

describe("openai-compatible", () => {
  it("needs no key", async () => {
    await using server = await startOpenAiServer();
    await readReply(modelsOn(server, { openaiCompatible: { baseUrl: server.url } }));
    expect(server.requests[0]?.authorization).toBeUndefined();
  });

  it("accepts colons in a model name", async () => {
    await using server = await startOpenAiServer();
    await readReply(createModels(configFor(server, { text: "openai-compatible:llama3.2:3b" })));
    expect(server.requests[0]?.model).toBe("llama3.2:3b");
  });
});

it("a client that could not be created is created again by the next call", async () => {
  await using server = await startOpenAiServer();
  let reads = 0;
  const models = createModels(config("openai:gpt-5-mini"), {
    // The package's import cannot be made to fail here. Its result is awaited with this URL.
    get baseUrls() {
      if (reads++ === 0) throw new Error("The package could not be read.");
      return { openai: server.url };
    },
  });
  await expect(readReply(models)).rejects.toThrow();
  expect((await readReply(models)).text).toContain("lighthouse");
});
