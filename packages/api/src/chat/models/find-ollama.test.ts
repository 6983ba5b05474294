import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import { withOllama } from "./find-ollama.ts";
import { createModels } from "./models.ts";
import type { ModelsConfig } from "./models-config.ts";

const nothing: ModelsConfig = {
  text: null,
  vision: null,
  premium: null,
  summary: null,
  keys: {},
  openaiCompatible: {},
  timeoutMs: 5_000,
};
const installed = [
  { digest: "a model in a form of the future" },
  { name: "gpt-oss:120b-cloud", remote_host: "https://ollama.example:443" },
  { name: "nomic-embed-text:latest", details: { family: "nomic-bert" } },
  { name: "all-minilm:33m", details: { family: "bert" } },
  { name: "llama3.2:3b", details: { family: "llama" } },
  { name: "qwen3:8b", details: { family: "qwen3" } },
];

describe("a hub without TEXT_MODEL", () => {
  let asked = 0;

  /** Starts a server that lists models as Ollama does, and answers chats by OpenAI's protocol. */
  async function startOllama(answer: string | undefined) {
    const openAi = await startOpenAiServer({ reply: () => "Two spaces." });
    asked = 0;
    const server = createServer(async (incoming, response) => {
      if (incoming.url === "/api/tags") {
        asked += 1;
        // Without an answer, the server hangs.
        if (answer !== undefined) response.end(answer);
        return;
      }
      const body = await buffer(incoming);
      const target = openAi.url.replace(/\/v1$/, "") + incoming.url;
      const headers = { "content-type": "application/json" };
      const replied = await fetch(target, { method: "POST", headers, body });
      response.writeHead(replied.status, { "content-type": "text/event-stream" });
      response.end(await replied.text());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await openAi.close();
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, [Symbol.asyncDispose]: close };
  }

  it("uses Ollama's first chat model, which replies by OpenAI's protocol", async () => {
    await using ollama = await startOllama(JSON.stringify({ models: installed }));
    const found = await withOllama(nothing, ollama.url);
    expect(found.ollama).toBe(ollama.url);
    const models = createModels(found.config);
    expect(models.routes.text).toBe("openai-compatible:llama3.2:3b");
    const { signal } = new AbortController();
    const messages = [{ role: "user" as const, content: "Tabs?" }];
    const request = {
      route: "text",
      instructions: "",
      messages,
      deepThink: false,
      signal,
    } as const;
    let text = "";
    for await (const piece of models.stream(request)) text += piece;
    expect(text).toBe("Two spaces.");
  });

  it.each([
    ["has cloud and embedding models alone", JSON.stringify({ models: installed.slice(0, 4) })],
    ["has no model", JSON.stringify({ models: [] })],
    ["is another program", "<html>"],
    ["does not answer", undefined],
  ])("stays offline if Ollama %s", async (_, answer) => {
    await using ollama = await startOllama(answer);
    expect(await withOllama(nothing, ollama.url)).toEqual({ config: nothing, ollama: null });
    expect(asked).toBe(1);
  });

  it("does not ask Ollama with TEXT_MODEL=offline, another model, or an address", async () => {
    await using ollama = await startOllama(JSON.stringify({ models: installed }));
    for (const config of [
      { ...nothing, text: "offline" },
      { ...nothing, text: "openai:gpt-5-mini" },
      { ...nothing, openaiCompatible: { baseUrl: "http://127.0.0.1:1/v1" } },
    ]) {
      expect(await withOllama(config, ollama.url)).toEqual({ config, ollama: null });
    }
    expect(asked).toBe(0);
  });
});
