import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Actor, createActor } from "../../testing/actor.ts";
import {
  type ChatHub,
  lengthen,
  openRoom,
  type RoomName,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { emptyDatabase, ruleDatabase } from "../../testing/test-database.ts";
import { estimateTokens } from "../prompt/prompt.ts";

const isFold = ({ model }: SeenRequest) => model === "summary-model";

/** Decisions §5, Memory: the size of a summary run's prompt, and one run per room at a time. */
describe("a summary run", () => {
  const kind = ruleDatabase();
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  let written: string;
  let gate: Promise<void> | undefined;
  const routes = { summary: "openai-compatible:summary-model" };
  const provider = {
    reply: async function* (request: SeenRequest) {
      if (isFold(request)) await gate;
      yield isFold(request) ? written : "Go on.";
    },
  };
  const folds = (at = hub) => at.provider.requests.filter(isFold);
  const db = () => hub.hub.database.db;
  const stored = () =>
    db()
      .selectFrom("chat_rooms")
      .select(["summary", "summarised_to", "folding_until", "head_id"])
      .executeTakeFirstOrThrow();
  const summarised = (summary: string) =>
    eventually(async () => expect(await stored()).toMatchObject({ summary, folding_until: null }));
  const setContent = (characters: number) =>
    db()
      .updateTable("chat_messages")
      .set({ content: "🦉".repeat(characters) })
      .execute();

  beforeEach(async () => {
    gate = undefined;
    written = "They talked.";
    hub = await startChatHub({ database: await emptyDatabase(kind), routes, provider });
    vera = await hub.vip("vera");
    room = await openRoom(vera);
    await say(vera, room, "Hello.");
  });
  afterEach(() => hub.close());

  it("reads at most 8,000 tokens, including instructions and previous summary", async () => {
    await lengthen(hub, 200);
    await setContent(700);
    written = "é".repeat(2_500);
    await say(vera, room, "And now?");
    await eventually(() => expect(folds()).toHaveLength(4));
    for (const { system, messages } of folds()) {
      const read = estimateTokens(system) + estimateTokens(messages[0]?.content ?? "");
      expect(read).toBeLessThanOrEqual(8_000);
      // The prompt of the summary run is full: one more message would exceed the limit.
      expect(read).toBeGreaterThan(7_700);
    }
    expect(/^Summary so far:\né{2000}\n/.test(folds()[1]?.messages[0]?.content ?? "")).toBe(true);
  });

  it("cuts a first message that exceeds the limit", async () => {
    await lengthen(hub, 30);
    await setContent(60_000);
    await say(vera, room, "And now?");
    await eventually(() => expect(folds()).toHaveLength(4));
    const [{ system, messages } = expect.fail()] = folds();
    const content = messages[0]?.content ?? "";
    expect(/^Next lines:\n\[vera\] 🦉+$/u.test(content)).toBe(true);
    expect(estimateTokens(system) + estimateTokens(content)).toBeLessThanOrEqual(8_000);
    await eventually(async () => expect((await stored()).folding_until).toBeNull());
    const { summarised_to } = await stored();
    const done = await db()
      .selectFrom("chat_messages")
      .select("id")
      .where("id", "<=", summarised_to)
      .execute();
    expect(done).toHaveLength(4);
  });

  it("cuts a result beyond 2,000 characters after a sentence", async () => {
    await lengthen(hub, 30);
    written = "Vera has a boat. ".repeat(200);
    await say(vera, room, "And now?");
    await summarised("Vera has a boat. ".repeat(117).trim());
  });

  it.each([[{ status: 400 }], [{ status: 408 }], [{ status: 429, retryAfter: 0 }]])(
    "is not retried after %o, and changes nothing",
    async (fault) => {
      await lengthen(hub, 30);
      const release = hub.provider.holdNext();
      const answer = say(vera, room, "And now?");
      await hub.provider.received(2);
      hub.provider.failNext(fault);
      release();
      expect((await answer).status).toBe(200);
      await eventually(() => expect(hub.log.join("")).toContain("folding a summary"));
      await eventually(async () =>
        expect(await stored()).toMatchObject({
          summary: null,
          summarised_to: 0,
          folding_until: null,
        }),
      );
      expect(folds()).toHaveLength(1);
      await say(vera, room, "And now?");
      await summarised("They talked.");
    },
  );

  it("is cancelled without a logged error when the hub stops", async () => {
    await lengthen(hub, 30);
    gate = new Promise(() => {});
    await say(vera, room, "And now?");
    await eventually(() => expect(folds()).toHaveLength(1));
    await hub.hub.drain();
    expect(await folds()[0]?.ended).toBe("cancelled");
    await hub.hub.close();
    expect(await stored()).toMatchObject({ summary: null, folding_until: null });
    expect(hub.log.join("")).not.toContain("folding a summary");
  });

  describe("with two servers on one database", () => {
    let other: ChatHub;
    beforeEach(async () => {
      other = await startChatHub({ database: hub.hub.database, routes, provider });
    });
    afterEach(() => other.close());
    /** Returns a client of the second server with the API key of the test account vera. */
    const there = () => createActor({ ...vera, baseUrl: () => other.url });

    it("runs on one server at a time", async () => {
      const open = Promise.withResolvers<void>();
      gate = open.promise;
      await lengthen(hub, 30);
      await say(vera, room, "At the one.");
      await eventually(() => expect(folds()).toHaveLength(1));
      for (let n = 0; n < 3; n++) {
        await say(there(), room, "At the other.");
        await say(vera, room, "At the one.");
      }
      expect([folds(), folds(other)].map(({ length }) => length)).toEqual([1, 0]);
      open.resolve();
      await summarised("They talked.");
      // 24 messages are not summarised: 12 that the summary run left, and six exchanges since.
      for (let n = 0; n < 4; n++) await say(there(), room, "At the other.");
      await eventually(() => expect(folds(other)).toHaveLength(1));
      expect(folds()).toHaveLength(1);
    });

    it("runs on the other server when the reservation of a crashed one expires", async () => {
      await lengthen(hub, 30);
      await db().updateTable("chat_rooms").set({ folding_until: "2100-01-01" }).execute();
      for (let n = 0; n < 2; n++) await say(there(), room, "At the other.");
      expect(folds(other)).toHaveLength(0);
      await db().updateTable("chat_rooms").set({ folding_until: "2020-01-01" }).execute();
      await say(there(), room, "Again.");
      await summarised("They talked.");
      expect(folds(other)).toHaveLength(1);
    });
  });
});
