import { describe, expect, it } from "vitest";
import { delimiterKey } from "../prompt/prompt.fixture.ts";
import { buildPrompt } from "../prompt/prompt.ts";
import type { ModelRequest } from "./model-port.ts";
import { modelRequest, readReply } from "./models.fixture.ts";
import { createModels } from "./models.ts";

const models = createModels(
  {
    text: null,
    vision: null,
    premium: null,
    summary: null,
    keys: {},
    openaiCompatible: {},
    timeoutMs: 60_000,
  },
  { offlinePieceMs: 0 },
);

function requestFor(content: string, file_type = "single_md"): ModelRequest {
  return modelRequest({
    ...buildPrompt({
      key: delimiterKey(),
      soul: { title: "Orla", content, file_type },
      summary: null,
      history: [],
      current: { sender_name: "ada", content: "Who are you?" },
    }),
  });
}

const KEEPER =
  "---\nname: orla\n---\n# Orla\n\nHi.\n\nYou are **Orla**, keeper of the northern lighthouse, and you speak slowly.";

describe("offline", () => {
  it("states that no model is configured, quotes the soul and explains the configuration", async () => {
    const { text, usage } = await readReply(models, requestFor(KEEPER));
    expect(text).toBe(
      "No model is configured on this hub, so this is its built-in offline reply.\n\n" +
        "The soul “Orla” says of itself: “You are Orla, keeper of the northern lighthouse, and you speak slowly.”\n\n" +
        "To enable real replies, the operator of this hub sets TEXT_MODEL and restarts it: for example " +
        "TEXT_MODEL=openai:gpt-5-mini with OPENAI_API_KEY, or TEXT_MODEL=openai-compatible:llama3.2 with " +
        "OPENAI_COMPATIBLE_BASE_URL=http://localhost:11434/v1 for a local Ollama.",
    );
    expect(usage).toEqual({
      provider: "offline",
      model: "offline",
      inputTokens: null,
      outputTokens: null,
      finish: "stop",
      toolCalls: [],
    });
    expect(models.routes.text).toBe("offline");
  });

  it("is streamed in the same pieces each time", async () => {
    const first = await readReply(models, requestFor(KEEPER));
    expect(first.pieces.length).toBeGreaterThan(5);
    expect((await readReply(models, requestFor(KEEPER))).pieces).toEqual(first.pieces);
  });

  it.each([
    [
      "a folder's SOUL.md",
      JSON.stringify({
        "A.md": "Not this one, please.",
        "SOUL.md": "# S\nA calm and patient guide.",
      }),
      "A calm and patient guide.",
    ],
    ["a text without spaces", "光".repeat(5_000), `${"光".repeat(200)} …`],
    ["a text of few words", "# Be\n\nkind", "“kind”"],
  ])("quotes %s", async (_, content, quote) => {
    const request = requestFor(content, content.startsWith("{") ? "full_soul_folder" : "single_md");
    expect((await readReply(models, request)).text).toContain(quote);
  });

  it("ends when the signal aborts", async () => {
    const caller = new AbortController();
    const stream = models.stream({ ...requestFor(KEEPER), signal: caller.signal });
    await stream.next();
    caller.abort("gone");
    await expect(stream.next()).rejects.toBe("gone");
  });

  it("writes no summaries", async () => {
    await expect(
      readReply(models, { ...requestFor(KEEPER), route: "summary" }),
    ).rejects.toMatchObject({
      code: "no_model",
    });
  });
});
