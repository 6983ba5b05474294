import { describe, expect, it } from "vitest";
import { directText, receiveText } from "./direct-text.ts";

/** Sends an event stream in these reads. Returns the texts, and what the provider's package reads. */
async function read(sent: (string | Uint8Array)[]): Promise<{ texts: string[]; passed: string }> {
  const fetch = directText(async () => {
    const body = ReadableStream.from(sent.map((read) => Buffer.from(read)));
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  });
  const texts: string[] = [];
  const { signal } = new AbortController();
  receiveText(signal, (text) => texts.push(text));
  return { passed: await (await fetch("http://provider", { signal })).text(), texts };
}

const openAi = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
const anthropic = (text: string) =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}\n\n`;
/** The event whose text has taken the direct way. */
const emptied = openAi({ content: "\0" });

describe("an event stream of a provider", () => {
  // The last one looks like an event.
  const pieces = ["One ", 'line "quoted"\n', "\\", "{}", "Ö 💡", ' "delta":{"content":"x"}'];

  it.each([
    ["OpenAI's", (text: string) => openAi({ content: text })],
    ["Anthropic's", anthropic],
    ["with CRLF", (text: string) => openAi({ content: text }).replaceAll("\n", "\r\n")],
    ["with CR", (text: string) => openAi({ content: text }).replaceAll("\n", "\r")],
    ["with spaces", (text: string) => openAi({ content: text }).replaceAll(/(?<!\\)":/g, '": ')],
  ])("has one text for a hundred events of one read, %s", async (_, event) => {
    const texts = Array.from({ length: 100 }, (_, n) => pieces[n % pieces.length] ?? "");
    const { texts: taken, passed } = await read([texts.map(event).join("")]);
    expect(taken).toEqual([texts.join("")]);
    expect(passed).toBe(event("\0"));
  });

  const toolCall = { index: 0, function: { arguments: ' "content": "a"' } };
  it.each([
    ["a delta without text", [openAi({}), openAi({ role: "assistant", content: "" })]],
    ["equal calls of tools", [1, 2].map(() => openAi({ content: "", tool_calls: [toolCall] }))],
    ["equal reasoning", [1, 2].map(() => openAi({ reasoning_content: "a" }))],
    ["empty texts", [1, 2].map(() => openAi({ content: "" }))],
    ["a comment", [": waiting\n\n", ": waiting\n\n"]],
    ["the usage", [openAi({}, { choices: [], usage: { total: 1 } })]],
    ["the end of the stream", [openAi({}, { finish_reason: "stop" }), "data: [DONE]\n\n"]],
    ["the start of Anthropic's stream", ['data: {"type":"message_start","content":[]}\n\n']],
    ["no JSON", ['data: "delta":{"content":"a\n\n', 'data: "delta":{"content":"b\n\n']],
    ["a text with a raw line break", ['data: {"delta":{"content":"a\nb"}}\n']],
  ])("leaves %s to the package", async (_, events) => {
    expect(await read([`${openAi({ content: "a" })}${events.join("")}`])).toEqual({
      texts: ["a"],
      passed: emptied + events.join(""),
    });
  });

  it.each([
    ["another end", [{ content: "b" }, { usage: { total: 1 } }]],
    ["another beginning", [{ role: "assistant", content: "b" }]],
  ] as const)("leaves the rest of an event with %s to the package", async (_, [delta, more]) => {
    expect(await read([openAi({ content: "a" }), openAi(delta, more)])).toEqual({
      texts: ["a", "b"],
      passed: emptied + openAi({ ...delta, content: "\0" }, more),
    });
  });

  it.each([
    ["a refusal", openAi({ refusal: "No." })],
    ["a text in parts", openAi({ content: [{ type: "text", text: "b" }] })],
    ["reasoning beside a text", openAi({ content: "b", reasoning: "a" })],
    ["two texts in a delta", openAi({ text: "a", content: "b" })],
    ["an error", openAi({}, { error: { code: 503 } })],
    ["the end of the stream", "data: [DONE]\n\n"],
    ["another choice", openAi({}, { choices: [{ index: 1, delta: { content: "b" } }] })],
    ["text in a comment", `data: {}\n: ${openAi({ content: "b" })}`],
    ["an event that is a comment", `: ${openAi({ content: "b" })}`],
    ["an event of 4 KB", openAi({ tool_calls: [{ arguments: "x".repeat(4_096) }] }).slice(0, -2)],
    [
      "two choices in an event",
      openAi({}, { choices: [{ delta: { content: "b" } }, { delta: { content: "a" } }] }),
    ],
  ])("leaves all text after %s to the package, in order", async (_, event) => {
    const [before, after] = [openAi({ content: "a" }), openAi({ content: "c" })];
    const expected = { texts: ["a"], passed: emptied + event + after + after };
    expect(await read([before, event, after, after])).toEqual(expected);
    if (event.endsWith("\n\n")) {
      expect(await read([before + event + after + after])).toEqual(expected);
    }
  });

  it("is the same, wherever the reads divide it", async () => {
    const events = [...pieces.map((content) => openAi({ content })), openAi({}), "data: [DONE]"];
    const bytes = Buffer.from(events.join("").replaceAll("\n", "\r\n"));
    const passed = [emptied, ...events.slice(-2)].join("").replaceAll("\n", "\r\n");
    for (let at = 1; at < bytes.length; at++) {
      const { texts, ...rest } = await read([bytes.subarray(0, at), bytes.subarray(at)]);
      expect([at, texts.join(""), rest.passed]).toEqual([at, pieces.join(""), passed]);
    }
  });

  it("is unchanged without a receiver", async () => {
    const sent = openAi({ content: "a" });
    const fetch = directText(async () => {
      return new Response(sent, { headers: { "content-type": "text/event-stream" } });
    });
    expect(await (await fetch("http://provider")).text()).toBe(sent);
  });
});
