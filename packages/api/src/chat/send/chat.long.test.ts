import { describe, expect, it } from "vitest";
import { defaultTiers } from "../../quota/tier-table.ts";
import { openRoom, say, startChatHub } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { estimateTokens } from "../prompt/prompt.ts";

const EXCHANGES = 50;
const FACT = "My boat is called Seven Sisters.";

/** Returns the fake model's new summary: all sentences about a boat in the summary run's prompt. */
const summarise = ({ messages }: SeenRequest): string =>
  [...new Set(messages[0]?.content.match(/My boat [^.]*\./g))].join(" ") || "Nothing much.";

/** Returns the text of the nth message: short, or almost as long as the tier allows. */
const lineOf = (n: number): string =>
  n === 1 ? FACT : `Line ${n}. ${"x".repeat(n % 7 === 0 ? 7_900 : n % 3 === 0 ? 900 : 3)}`;

/** Prompts and summary of a long conversation (decisions §5, Memory). */
describe("a conversation of 100 messages", () => {
  it("keeps every prompt within its limits and the first facts in the summary", async () => {
    await using hub = await startChatHub({
      config: { tiers: { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: EXCHANGES } } },
      routes: { summary: "openai-compatible:summary-model" },
      provider: {
        reply: (request) =>
          request.model === "summary-model"
            ? summarise(request)
            : `Go on. ${"y".repeat(request.messages.length * 40)}`,
      },
    });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    const stored = () =>
      hub.hub.database.db
        .selectFrom("chat_rooms")
        .select(["summary", "summarised_to", "folding_until"])
        .executeTakeFirstOrThrow();
    for (let n = 0; n < EXCHANGES; n++) {
      expect((await say(vera, room, lineOf(n))).status).toBe(200);
      // A summary run starts after a reply. The test waits for its end, so that every prompt is
      // predictable.
      await eventually(async () => expect((await stored()).folding_until).toBeNull());
    }

    const requests = hub.provider.requests.filter(({ model }) => model === "text-model");
    expect(requests).toHaveLength(EXCHANGES);
    const instructions = requests[0]?.system;
    for (const [n, { system, messages }] of requests.entries()) {
      // All prompts have the same instructions, which contain the rules and the soul only.
      expect(system).toBe(instructions);
      const hasSummary = messages[0]?.content.startsWith("----- BEGIN SUMMARY") ?? false;
      if (hasSummary) expect(estimateTokens(messages[0]?.content ?? "")).toBeLessThanOrEqual(520);
      const window = messages.slice(hasSummary ? 1 : 0, -1);
      expect(window.length).toBeLessThanOrEqual(20);
      const tokens = window.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      expect(tokens).toBeLessThanOrEqual(6_000);
      expect(messages.at(-1)?.content).toBe(`[vera] ${lineOf(n)}`);
    }
    for (const { system, messages } of hub.provider.requests.filter(
      ({ model }) => model === "summary-model",
    )) {
      const read = estimateTokens(system) + estimateTokens(messages[0]?.content ?? "");
      expect(read).toBeLessThanOrEqual(8_000);
    }

    // The newest messages in the prompt no longer include the message about the boat. The summary
    // still mentions the boat.
    const last = requests.at(-1)?.messages ?? [];
    expect(last[0]?.content).toContain(FACT);
    expect(last.slice(1).some(({ content }) => content.includes(FACT))).toBe(false);
    const { body } = await vera.get("/api/my-chats");
    expect(body.sessions[0].summary).toBe(FACT);
    // Between 12 and 30 of the newest messages are not yet part of the summary.
    const { summarised_to } = await stored();
    const left = await hub.hub.database.db
      .selectFrom("chat_messages")
      .select("id")
      .where("id", ">", summarised_to)
      .execute();
    expect(left.length).toBeGreaterThanOrEqual(12);
    expect(left.length).toBeLessThanOrEqual(30);
  });
});
