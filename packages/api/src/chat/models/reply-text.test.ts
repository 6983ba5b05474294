import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelPort } from "./model-port.ts";
import { modelRequest, readReply } from "./models.fixture.ts";
import { createModels } from "./models.ts";

type Pieces = Iterable<string> | AsyncIterable<string>;

const event = (delta: object, finish_reason: string | null = null) =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);

/** Returns models whose provider sends these replies in turn, and each piece in a read of its own. */
function replying(...replies: Pieces[]): ModelPort {
  async function* events() {
    for await (const content of replies.shift() ?? []) yield event({ content });
    yield event({}, "stop");
  }
  const fetch = async () =>
    new Response(ReadableStream.from(events()), {
      headers: { "content-type": "text/event-stream" },
    });
  const config = {
    text: "openai-compatible:text-model",
    premium: "openai-compatible:premium-model",
    vision: "openai:vision-model",
    summary: null,
    keys: { openai: "sk-o" },
    openaiCompatible: { baseUrl: "http://provider.test/v1" },
    timeoutMs: 60_000,
  };
  return createModels(config, { fetch });
}

/** The reply of a model to these pieces, as it is stored. */
async function stored(pieces: Pieces): Promise<string> {
  const { text, usage } = await readReply(replying(pieces));
  return usage.correction ?? text;
}

/** The text in one piece, and in pieces of one UTF-16 unit. */
const waysToSend = (text: string): string[][] => [[text], text.split("")];

describe("text before a </think> that nothing opened", () => {
  it.each([
    ["SECRET plan\n</think>\n\nHello", "Hello"],
    ["SECRET `code` and\n```js\n1 < 2\n```\n</think>Hello `x`", "Hello `x`"],
    ["SECRET, and I can`t see\n</think>\n\nHello", "Hello"],
    ["SECRET `</think>\n\nHello", "Hello"],
    ["SECRET <thin </think>SECRET</think>Hello </thin", "Hello </thin"],
    ["SECRET\n~~~\ncode\n~~~\n</think>Hello ~~dark~~ light", "Hello ~~dark~~ light"],
    ["SECRET:\n```js\ncode\n</think>\n\nHello", "Hello"],
    ["SECRET:\n```\n- ```\n</think>\n\nHello", "Hello"],
    ["SECRET\n    </think>\n\nHello", "Hello"],
  ])("is no part of the reply: %j", async (sent, reply) => {
    for (const pieces of waysToSend(sent)) expect(await stored(pieces)).toBe(reply);
  });

  it.each([
    "Close it with `</think>`, or with ``a ` </think>``.",
    "Models write `<think>` and `</think>`.",
    "Like this:\n\n```html\n<think>\n\n</think>\n```\n\nIs it clear?",
    "- A list:\n\n      ````md\n      ```js\n      </think>\n      ```\n      ````",
    "~~~\n</think>\n```\n</think>\n~~~ js\n</think>\n~~~",
    "- ```\n  </think>\n  ```\nok",
    "> 1. ```\n>    </think>\n>    ```\nok",
    "Here: ```\n</think>\n```\nok",
    "Write ``` first.\n```html\n</think>\n```\nok",
    "```</think>```\nok",
    "A cut template:\n```\n<think>plan</think>\nend",
    "Like this:\n\n    <think>\n    </think>\n\nok",
    "I ` mean </think` and <thinking>.",
  ])("is text if the tag stands in code: %j", async (reply) => {
    for (const pieces of waysToSend(reply)) expect(await stored(pieces)).toBe(reply);
  });

  it("is dropped together with reasoning that was opened", async () => {
    const sent = "SECRET</think>Hello.<think>SECRET `</think> It is dark.";
    for (const pieces of waysToSend(sent)) expect(await stored(pieces)).toBe("Hello.\nIt is dark.");
  });

  it("is a failure if nothing follows", async () => {
    await expect(readReply(replying(["SECRET", "</think>\n"]))).rejects.toMatchObject({
      cause: { name: "EmptyReply" },
    });
  });

  it("is held back once the model has sent such a reply", async () => {
    const pieces = ["SECRET plan", "\n</thi", "nk>\n", "\nHel", "lo"];
    const models = replying(pieces, pieces);
    const first = await readReply(models);
    expect([first.pieces, first.usage.correction]).toEqual([
      ["SECRET plan", "\n", "Hel", "lo"],
      "Hello",
    ]);
    const again = await readReply(models);
    expect([again.pieces, again.usage.correction]).toEqual([["Hel", "lo"], undefined]);
  });

  it("is held back until a reply has none", async () => {
    const sent = [
      ["SECRET</think>Hello"],
      ["It ", "is."],
      ["<think>SECRET</think>It", " ends </think>."],
      ["One ", "two."],
    ];
    const models = replying(...sent);
    const replies = [];
    for (const _ of sent) replies.push((await readReply(models)).pieces);
    expect(replies.slice(1)).toEqual([["It is."], ["It", " ends </think>."], ["One ", "two."]]);
  });

  it("is held back of that model alone", async () => {
    const models = replying(["SECRET</think>Hello"], ["One ", "two."]);
    await readReply(models);
    const other = await readReply(models, modelRequest({ route: "premium" }));
    expect(other.pieces).toEqual(["One ", "two."]);
  });

  it("is held back for at most 4,000 characters", async () => {
    const long = "a".repeat(4_000);
    const models = replying(["SECRET</think>Hello"], [long, "b", "c"]);
    await readReply(models);
    expect((await readReply(models)).pieces).toEqual([`${long}b`, "c"]);
  });
});

describe("a reply that is held back", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("is streamed after 10 s", async () => {
    const gate = Promise.withResolvers<void>();
    async function* slow() {
      yield "It is ";
      await gate.promise;
      yield "dark.";
    }
    const models = replying(["SECRET</think>Hello"], slow());
    await readReply(models);
    const stream = models.stream(modelRequest());
    const first = stream.next();
    // The time limit of the call, and that of holding back.
    await vi.waitUntil(() => vi.getTimerCount() === 2);
    vi.advanceTimersByTime(10_000);
    expect(await first).toEqual({ done: false, value: "It is " });
    gate.resolve();
    expect((await stream.next()).value).toBe("dark.");
    expect((await stream.next()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a character whose halves arrive one by one", () => {
  it.each(["text", "vision"] as const)("stays whole (route %s)", async (route) => {
    const models = replying("Dark 🦉🌙 night".split(""));
    const { text, pieces } = await readReply(models, modelRequest({ route }));
    expect(text).toBe("Dark 🦉🌙 night");
    expect(pieces.filter((piece) => !piece.isWellFormed())).toEqual([]);
  });

  it("is U+FFFD if a half stays alone", async () => {
    const [high = "", low = ""] = "😀".split("");
    const sent = [`a${high}`, "b", low, high, "😀", `${high}\0`, low, `c${high}`];
    const { text, pieces } = await readReply(replying(sent));
    expect(text).toBe("a\ufffdb\ufffd\ufffd😀😀c\ufffd");
    expect(pieces.filter((piece) => !piece.isWellFormed())).toEqual([]);
  });
});
