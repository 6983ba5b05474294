import { describe, expect, it } from "vitest";
import { joiningDeltas } from "./join-deltas.ts";

/** Returns the reads of a response whose event stream arrives in these reads. */
async function readsOf(sent: (string | Uint8Array)[]): Promise<string[]> {
  const fetch = joiningDeltas(async () => {
    const body = ReadableStream.from(sent.map((read) => Buffer.from(read)));
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  });
  const reads: string[] = [];
  for await (const read of (await fetch("http://provider")).body ?? []) {
    reads.push(Buffer.from(read).toString("latin1"));
  }
  return reads;
}

const openAi = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
const anthropic = (text: string) =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}\n\n`;
const latin1 = (text: string) => Buffer.from(text).toString("latin1");

describe("an event stream of a provider", () => {
  // The last one looks like an event.
  const pieces = ["One ", 'line "quoted"\n', "\\", "{}", "Ö 💡", ' "delta":{"content":"x"}'];

  it.each([
    ["OpenAI's", (text: string) => openAi({ content: text })],
    ["Anthropic's", anthropic],
    ["with CRLF", (text: string) => openAi({ content: text }).replaceAll("\n", "\r\n")],
    ["with spaces", (text: string) => openAi({ content: text }).replaceAll('":', '": ')],
  ])("has one event for the texts of one read, %s", async (_, event) => {
    const texts = Array.from({ length: 100 }, (_, n) => pieces[n % pieces.length] ?? "");
    expect(await readsOf([texts.map(event).join("")])).toEqual([latin1(event(texts.join("")))]);
  });

  const toolCall = { index: 0, function: { arguments: " " } };
  it.each([
    [
      "another delta between them",
      [openAi({ content: "a" }), openAi({}), openAi({ content: "b" })],
    ],
    ["another end", [openAi({ content: "a" }), openAi({ content: "b" }, { usage: { total: 1 } })]],
    ["another beginning", [openAi({ content: "a" }), openAi({ role: "assistant", content: "b" })]],
    ["equal calls of tools", [1, 2].map(() => openAi({ content: "", tool_calls: [toolCall] }))],
    ["equal reasoning", [1, 2].map(() => openAi({ reasoning_content: "a" }))],
    ["equal reasoning beside a text", [1, 2].map(() => openAi({ content: "b", reasoning: "a" }))],
    ["two texts in a delta", [1, 2].map(() => openAi({ text: "a", content: "b" }))],
    ["empty texts", [1, 2].map(() => openAi({ content: "" }))],
    [
      "two choices in an event",
      [1, 2].map(
        () =>
          `data: ${JSON.stringify({ choices: [{ delta: { role: "assistant" } }, { delta: { content: "a" } }] })}\n\n`,
      ),
    ],
    [
      "a comment between them",
      [openAi({ content: "a" }), ": waiting\n\n", openAi({ content: "b" })],
    ],
    ["the end of the stream", [openAi({ content: "a" }), "data: [DONE]\n\n"]],
    ["no JSON", ['data: "delta":{"content":"a\n\n', 'data: "delta":{"content":"b\n\n']],
    ["an unknown protocol", ['data: {"text":"a"}\n\n', 'data: {"text":"b"}\n\n']],
  ])("is not changed by %s", async (_, events) => {
    expect(await readsOf([events.join("")])).toEqual([events.join("")]);
  });

  it("is the same stream, wherever the reads divide it", async () => {
    const events = pieces.map((content) => openAi({ content }));
    const bytes = Buffer.from(events.join(""));
    for (let at = 1; at < bytes.length; at++) {
      const reads = await readsOf([bytes.subarray(0, at), bytes.subarray(at)]);
      const texts = reads
        .join("")
        .split("\n\n")
        .filter(Boolean)
        .map((event) => JSON.parse(Buffer.from(event.slice(6), "latin1").toString()));
      expect([at, texts.map(({ choices }) => choices[0].delta.content).join("")]).toEqual([
        at,
        pieces.join(""),
      ]);
    }
  });
});
