import { expect, it } from "vitest";
import { failureOf, history, remaining, say } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import type { SeenRequest, ServerFault } from "../../testing/openai-server.ts";
import { configFor } from "../models/models.fixture.ts";
import { createModels } from "../models/models.ts";

const STREAM = { accept: "text/event-stream" };

interface StreamedEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: as in Answer.body
  data: any;
}

const parse = (text: string): StreamedEvent[] =>
  text
    .split("\n\n")
    .filter(Boolean)
    .map((block) => {
      const [, event = "", data = ""] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
      return { event, data: JSON.parse(data) };
    });

const routes = { summary: "offline" };
const UNOPENED = "SECRET plan\n</think>\n\nHello.";
/** The reply to a message that asks for reasoning without its opening tag. */
const provider = {
  reply: ({ messages }: SeenRequest) => {
    const asked = messages.at(-1)?.content ?? "";
    return asked.includes("Plan") ? UNOPENED : `You said “${asked}”. It is dark.`;
  },
};

/** Replies that REST streams (decisions §5, Streaming). */
describeRoom(
  "POST /api/chat with Accept: text/event-stream",
  { routes, provider },
  (hub, vera, room) => {
    const ask = (content: string, more: object = {}) =>
      vera.post("/api/chat", { ...room, content, ...more }, STREAM);

    /**
     * Sends a message while the provider has the given fault. The model call times out after 300 ms
     * for faults that stop the provider's output, else after 60 s.
     */
    const askWithFault = async (fault: ServerFault) => {
      const isSilent = ["hang", "silent", "stall"].includes(String(fault));
      const { models } = hub.hub;
      const timeoutMs = isSilent ? 300 : 60_000;
      hub.hub.models = createModels(configFor(hub.provider, { ...routes, timeoutMs }));
      hub.provider.failNext(fault);
      return ask("Hello?").finally(() => {
        hub.hub.models = models;
      });
    };

    it.each([
      ["text/event-stream;q=0", "application/json"],
      ["application/json, text/event-stream; q=0.0", "application/json"],
      ["text/event-stream;q=0.5, */*", "text/event-stream"],
      ["Text/*", "text/event-stream"],
      ["*/*", "application/json"],
      ["text/html", "application/json"],
    ])("respects the weights in Accept: %s", async (accept, type) => {
      const headers = { accept };
      const answer = await vera.post("/api/chat", { ...room, content: "Hello" }, headers);
      expect(answer.headers.get("content-type")).toContain(type);
    });

    it("streams deltas with offsets, then the documented response", async () => {
      const goOn = hub.provider.holdNext();
      const { status, headers, body } = await fetch(`${hub.url}/api/chat`, {
        method: "POST",
        headers: {
          ...STREAM,
          authorization: `Bearer ${vera.apiKey}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ ...room, content: "Is it dark? 🦉 And cold?" }),
      });
      let text = "";
      for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        goOn();
      }
      expect(status).toBe(200);
      expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
      expect(headers.get("x-request-id")).toBeTruthy();
      const events = parse(text);
      const deltas = events.slice(0, -1);
      expect(deltas.length).toBeGreaterThan(1);
      let reply = "";
      const reply_id = events.at(-1)?.data.reply_id;
      for (const { event, data } of deltas) {
        expect(data).toMatchObject({ reply_id, soul_id: room.soul_id });
        expect([event, data.offset]).toEqual(["delta", reply.length]);
        reply += data.text;
      }
      expect(events.at(-1)).toEqual({
        event: "done",
        data: {
          success: true,
          reply,
          sender_name: "Orla",
          reply_id: expect.any(String),
          message_id: expect.any(Number),
          question_id: expect.any(Number),
          made_by: expect.objectContaining({ version: 1 }),
          answered: true,
          quota: expect.objectContaining({ tier: "vip" }),
        },
      });
      expect(reply).toContain("🦉");
      expect((await history(vera, room)).body.messages.at(-1).content).toBe(reply);
    });

    it("ends with the reply without reasoning that nothing opened, which the next prompt lacks, too", async () => {
      // What the hub learns about a model stays with its models.
      const { models } = hub.hub;
      hub.hub.models = createModels(configFor(hub.provider, routes));
      const goOn = hub.provider.holdNext();
      const response = await fetch(`${hub.url}/api/chat`, {
        method: "POST",
        headers: {
          ...STREAM,
          authorization: `Bearer ${vera.apiKey}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ ...room, content: "Plan." }),
      });
      let text = "";
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        goOn();
      }
      const events = parse(text);
      expect(events[0]?.data.text).toBe("SECRET ");
      expect(events.at(-1)?.data.reply).toBe("Hello.");
      const again = await ask("Plan once more.");
      expect(again.text).not.toContain("SECRET");
      const { messages } = (await history(vera, room)).body;
      expect(messages.map(({ content }: { content: string }) => content)).toEqual([
        "Plan.",
        "Hello.",
        "Plan once more.",
        "Hello.",
      ]);
      expect(JSON.stringify(hub.provider.requests.at(-1)?.messages)).not.toContain("SECRET");
      hub.hub.models = models;
    });

    it("responds with a plain error before the first piece", async () => {
      expect(failureOf(await ask(""))).toEqual([400, "invalid_input"]);
      expect(failureOf(await askWithFault({ status: 400 }))).toEqual([502, "provider_failed"]);
      hub.provider.failNext({ status: 429, retryAfter: 60 });
      const busy = await ask("Hello?");
      expect([busy.status, busy.headers.get("retry-after")]).toEqual([502, "60"]);
    });

    const before: ServerFault[] = ["html", "empty", "filtered", "hang", "silent", { status: 401 }];
    const after: ServerFault[] = ["cut", "half", "stall", "garbage", "endless", "error-chunk"];
    it.each(before)(
      "responds with the error status to a fault before the first piece: %o",
      async (fault) => {
        const left = await remaining(vera);
        const { status, body } = await askWithFault(fault);
        expect(status).toBe(body.error === "provider_timeout" ? 504 : 502);
        expect(await remaining(vera)).toBe(left);
      },
    );
    it.each(after)("ends with an error event after a fault in the stream: %o", async (fault) => {
      const left = await remaining(vera);
      const { status, text } = await askWithFault(fault);
      expect(status).toBe(200);
      const events = parse(text);
      expect(events.slice(0, -1).every(({ event }) => event === "delta")).toBe(true);
      expect(events.length).toBeGreaterThan(1);
      expect(events.at(-1)?.event).toBe("error");
      expect(events.at(-1)?.data.error).toBe(
        fault === "stall" ? "provider_timeout" : "provider_failed",
      );
      expect(text).not.toContain("own words");
      expect(await remaining(vera)).toBe(left);
    });

    it("ends with the error body and stores nothing if the connection breaks", async () => {
      const [before, left] = [(await history(vera, room)).body.messages, await remaining(vera)];
      hub.provider.failNext("cut");
      const { status, text, headers } = await ask("Tell me more.");
      expect(status).toBe(200);
      const events = parse(text);
      expect(events[0]?.event).toBe("delta");
      expect(events.at(-1)).toEqual({
        event: "error",
        data: {
          success: false,
          error: "provider_failed",
          message: expect.any(String),
          request_id: headers.get("x-request-id"),
        },
      });
      expect((await history(vera, room)).body.messages).toEqual(before);
      expect(await remaining(vera)).toBe(left);
    });

    it("responds with JSON without the Accept header", async () => {
      const { headers } = await say(vera, room, "Hello.");
      expect(headers.get("content-type")).toMatch(/^application\/json/);
    });
  },
);
