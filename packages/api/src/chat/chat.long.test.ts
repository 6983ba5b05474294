import { describe, expect, it } from "vitest";
import { defaultTiers } from "../quota/tier-table.ts";
import { openRoom, say, startChatHub } from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import type { SeenRequest } from "../testing/openai-server.ts";
import { testDatabases } from "../testing/test-database.ts";
import { estimateTokens } from "./prompt.ts";

const EXCHANGES = 150;
const FACT = "My boat is called Seven Sisters.";

/** Remembers every sentence about a boat, from the former summary and from the lines alike. */
const summarise = ({ messages }: SeenRequest): string =>
  [...new Set(messages[0]?.content.match(/My boat [^.]*\./g))].join(" ") || "Nothing much.";

/** Some lines are one word, some are as long as the tier allows. */
const lineOf = (n: number): string =>
  n === 1 ? FACT : `Line ${n}. ${"x".repeat(n % 7 === 0 ? 7_900 : n % 3 === 0 ? 900 : 3)}`;

/** Decisions §5, Memory, over a conversation of 300 messages. */
describe.each(testDatabases())("a conversation of 300 messages (on %s)", (database) => {
  it("keeps every prompt within its budget, and what was said at its beginning in mind", async () => {
    await using hub = await startChatHub({
      database,
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
      // Folds come after their replies; here nobody asks on before they are done.
      await eventually(async () => expect((await stored()).folding_until).toBeNull());
    }

    const told = hub.provider.requests.filter(({ model }) => model === "text-model");
    expect(told).toHaveLength(EXCHANGES);
    const soulAndRules = estimateTokens(told[0]?.system ?? "");
    for (const [n, { system, messages }] of told.entries()) {
      const window = messages.slice(0, -1);
      expect(window.length).toBeLessThanOrEqual(20);
      const tokens = window.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      expect(tokens).toBeLessThanOrEqual(6_000);
      expect(messages.at(-1)?.content).toBe(`[vera] ${lineOf(n)}`);
      // Beside the window there is nothing but the summary, its fence and introduction.
      expect(estimateTokens(system) - soulAndRules).toBeLessThanOrEqual(500 + 60);
    }
    for (const { system, messages } of hub.provider.requests.filter(
      ({ model }) => model === "summary-model",
    )) {
      const read = estimateTokens(system) + estimateTokens(messages[0]?.content ?? "");
      expect(read).toBeLessThanOrEqual(8_000);
    }

    // The fact of the third message left the window long ago, and is known all the same.
    const last = told.at(-1);
    expect(last?.messages.some(({ content }) => content.includes(FACT))).toBe(false);
    expect(last?.system).toContain(FACT);
    const { body } = await vera.get("/api/my-chats");
    expect(body.sessions[0].summary).toBe(FACT);
    // Everything but the newest lines was folded in, each line once.
    const { summarised_to } = await stored();
    const left = await hub.hub.database.db
      .selectFrom("chat_messages")
      .select("id")
      .where("id", ">", summarised_to)
      .execute();
    expect(left.length).toBeGreaterThanOrEqual(12);
    expect(left.length).toBeLessThanOrEqual(30);
  }, 120_000);
});
