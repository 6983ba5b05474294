import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  type ChatHub,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  startChatHub,
} from "../testing/chat-hub.ts";
import type { ServerFault } from "../testing/openai-server.ts";
import { testDatabases } from "../testing/test-database.ts";

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

/** Decisions §5, Replies stream. */
describe.each(testDatabases())(
  "POST /api/chat with Accept: text/event-stream (on %s)",
  (database) => {
    let hub: ChatHub;
    let vera: Actor;
    let room: RoomName;
    const ask = (content: string, more: object = {}) =>
      vera.post("/api/chat", { ...room, content, ...more }, STREAM);

    beforeAll(async () => {
      hub = await startChatHub({ database, routes: { timeoutMs: 2_000, summary: "offline" } });
      vera = await hub.vip("vera");
      room = await openRoom(vera);
    });
    afterAll(() => hub.close());

    it.each([
      ["text/event-stream;q=0", "application/json"],
      ["application/json, text/event-stream; q=0.0", "application/json"],
      ["text/event-stream;q=0.5, */*", "text/event-stream"],
    ])("heeds the weight in Accept: %s", async (accept, type) => {
      const headers = { accept };
      const answer = await vera.post("/api/chat", { ...room, content: "Hello" }, headers);
      expect(answer.headers.get("content-type")).toContain(type);
    });

    it("streams deltas, each with the offset of its text, then the documented answer", async () => {
      const { status, text, headers } = await ask("Is it dark? 🦉 And cold?");
      expect(status).toBe(200);
      expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
      expect(headers.get("x-request-id")).toBeTruthy();
      const events = parse(text);
      const deltas = events.slice(0, -1);
      expect(deltas.length).toBeGreaterThan(1);
      let reply = "";
      for (const { event, data } of deltas) {
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
          quota: expect.objectContaining({ tier: "vip" }),
        },
      });
      expect(reply).toContain("🦉");
      expect((await history(vera, room)).body.messages.at(-1).content).toBe(reply);
    });

    it("answers what fails before the first piece like any other failure", async () => {
      const refused = await ask("");
      expect([refused.status, refused.body.error]).toEqual([400, "invalid_input"]);
      hub.provider.failNext({ status: 400 });
      const failed = await ask("Hello?");
      expect([failed.status, failed.body.error]).toEqual([502, "provider_failed"]);
      hub.provider.failNext({ status: 429, retryAfter: 60 });
      const busy = await ask("Hello?");
      expect([busy.status, busy.headers.get("retry-after")]).toEqual([502, "60"]);
    });

    const before: ServerFault[] = ["html", "empty", "filtered", "hang", "silent", { status: 401 }];
    const after: ServerFault[] = ["cut", "half", "stall", "garbage", "endless", "error-chunk"];
    it.each(before)("has the status of a failure before the first piece: %o", async (fault) => {
      const left = await remaining(vera);
      hub.provider.failNext(fault);
      const { status, body } = await ask("Hello?");
      expect(status).toBe(body.error === "provider_timeout" ? 504 : 502);
      expect(await remaining(vera)).toBe(left);
      await ask("Hello.");
    });
    it.each(after)("ends with an error after the first piece: %o", async (fault) => {
      const left = await remaining(vera);
      hub.provider.failNext(fault);
      const { status, text } = await ask("Hello?");
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
      await ask("Hello.");
    });

    it("ends with the failure's body when the provider breaks off in the middle", async () => {
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

    it("is not what a caller gets who asks for JSON", async () => {
      const { headers } = await say(vera, room, "Hello.");
      expect(headers.get("content-type")).toMatch(/^application\/json/);
    });
  },
);
