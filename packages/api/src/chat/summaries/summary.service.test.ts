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
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";
import { estimateTokens } from "../prompt.ts";

const isFold = ({ model }: SeenRequest) => model === "summary-model";

/** Decisions §5, Memory: how much a fold reads, and that there is one at a time. */
describe.each(testDatabases())("the summary of a room (on %s)", (kind) => {
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
  const widen = (characters: number) =>
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

  it("is made of at most 8,000 tokens, instructions and former summary included", async () => {
    await lengthen(hub, 200);
    await widen(700);
    written = "é".repeat(2_500);
    await say(vera, room, "And now?");
    await eventually(() => expect(folds()).toHaveLength(4));
    for (const { system, messages } of folds()) {
      const read = estimateTokens(system) + estimateTokens(messages[0]?.content ?? "");
      expect(read).toBeLessThanOrEqual(8_000);
      // Nor much less: a line more would not have fitted.
      expect(read).toBeGreaterThan(7_700);
    }
    expect(/^Summary so far:\né{2000}\n/.test(folds()[1]?.messages[0]?.content ?? "")).toBe(true);
  });

  it("takes in a line that is longer than all of that by its beginning", async () => {
    await lengthen(hub, 30);
    await widen(60_000);
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

  it("is cut after a sentence where the model says more than 2,000 characters", async () => {
    await lengthen(hub, 30);
    written = "Vera has a boat. ".repeat(200);
    await say(vera, room, "And now?");
    await summarised("Vera has a boat. ".repeat(117).trim());
  });

  it.each([[{ status: 400 }], [{ status: 408 }], [{ status: 429, retryAfter: 0 }]])(
    "is not asked for twice when the provider refuses with %o, and stays as it was",
    async (fault) => {
      await lengthen(hub, 30);
      const goOn = hub.provider.holdNext();
      const answer = say(vera, room, "And now?");
      await hub.provider.received(2);
      hub.provider.failNext(fault);
      goOn();
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

  it("is not folded by a hub that stops, and nothing is logged as gone wrong", async () => {
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
    /** The same people at the other server. */
    const there = () => createActor({ ...vera, baseUrl: () => other.url });

    it("is folded by one of them at a time", async () => {
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
      // Six more exchanges came meanwhile: 12 lines that stayed, 12 new ones.
      for (let n = 0; n < 4; n++) await say(there(), room, "At the other.");
      await eventually(() => expect(folds(other)).toHaveLength(1));
      expect(folds()).toHaveLength(1);
    });

    it("is folded by the other when the one died over it", async () => {
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
