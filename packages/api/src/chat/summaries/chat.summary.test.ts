import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  signedIn,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { testDatabases } from "../../testing/test-database.ts";

/** Decisions §5, Memory: the owner reads a summary in my-chats, and sets or clears it. */
describe.each(testDatabases())("PUT /api/my-chats (on %s)", (database) => {
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  /** While it is set, summaries wait for it. */
  let gate: Promise<void> | undefined;
  const folds = () => hub.provider.requests.filter(({ model }) => model === "summary-model");
  const told = (nth = -1) => folds().at(nth)?.messages[0]?.content ?? "";
  const asked = () => hub.provider.requests.findLast(({ model }) => model === "text-model");

  beforeAll(async () => {
    hub = await startChatHub({
      database,
      routes: { summary: "openai-compatible:summary-model" },
      provider: {
        reply: async function* ({ model }) {
          if (model === "summary-model") await gate;
          yield model === "summary-model" ? `Summary ${folds().length}.` : "Go on.";
        },
      },
    });
    vera = await hub.vip("vera");
  });
  beforeEach(async () => {
    gate = undefined;
    room = await openRoom(vera);
  });
  afterAll(() => hub.close());

  const correct = (who: Actor, summary: unknown, where: object = room) =>
    who.put("/api/my-chats", { ...where, summary });
  const summaryOf = async (who: Actor): Promise<string> =>
    (await who.get("/api/my-chats")).body.sessions.find(
      ({ soul_id }: RoomName) => soul_id === room.soul_id,
    )?.summary;
  let lines = 0;
  const talk = async (exchanges: number) => {
    for (let n = 0; n < exchanges; n++) {
      expect((await say(vera, room, `Line ${++lines}.`)).status).toBe(200);
    }
  };
  /** The summary has grown by one fold. */
  const folded = (before: string) =>
    eventually(async () => expect(await summaryOf(vera)).not.toBe(before));

  it("writes what is remembered: my-chats shows it, and the next reply knows it", async () => {
    await talk(1);
    const { status, body } = await correct(vera, "  Vera is afraid of the dark.\n");
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        message: "The memory is corrected.",
        summary: "Vera is afraid of the dark.",
      },
    ]);
    expect(await summaryOf(vera)).toBe("Vera is afraid of the dark.");
    await talk(1);
    expect(asked()?.system).toContain(
      "----- BEGIN SUMMARY 1 -----\nVera is afraid of the dark.\n----- END SUMMARY 1 -----",
    );
  });

  it("is built upon by later folds, which take in nothing twice", async () => {
    lines = 0;
    await talk(16);
    await folded("");
    expect(told()).toContain("Line 10.");
    await correct(vera, "Vera owns a boat.");
    await talk(10);
    await folded("Vera owns a boat.");
    expect(told()).toMatch(
      /^Summary so far:\nVera owns a boat\.\n\nNext lines:\n\[vera\] Line 11\./,
    );
  });

  it.each([null, "", " \n"])(
    "with %j resets it, and what was said before is never folded in again",
    async (nothing) => {
      lines = 0;
      await talk(16);
      await folded("");
      await talk(2);
      const { body } = await correct(vera, nothing);
      expect(body).toEqual({ success: true, message: "The memory is reset.", summary: "" });
      expect(await summaryOf(vera)).toBe("");
      await talk(15);
      expect(asked()?.system).not.toContain("SUMMARY");
      await talk(1);
      await folded("");
      expect(told()).toMatch(/^Next lines:\n\[vera\] Line 19\./);
    },
  );

  it.each([
    ["a correction", "Vera owns a boat."],
    ["a reset", null],
  ])("is not undone by a fold that was under way: %s", async (_, summary) => {
    lines = 0;
    const open = Promise.withResolvers<void>();
    const before = folds().length;
    gate = open.promise;
    await talk(16);
    await eventually(() => expect(folds()).toHaveLength(before + 1));
    expect((await correct(vera, summary)).status).toBe(200);
    open.resolve();
    await eventually(async () =>
      expect(
        await hub.hub.database.db
          .selectFrom("chat_rooms")
          .select("folding_until")
          .where("soul_id", "=", room.soul_id)
          .executeTakeFirstOrThrow(),
      ).toEqual({ folding_until: null }),
    );
    expect(await summaryOf(vera)).toBe(summary ?? "");
    // The lines are not lost: the next fold takes them in, unless they were to be forgotten.
    await talk(summary ? 1 : 16);
    await folded(summary ?? "");
    expect(told()).toContain(summary ? "[vera] Line 1." : "[vera] Line 17.");
    if (!summary) expect(told()).not.toContain("[vera] Line 16.");
  });

  it("takes 2,000 characters, and no more", async () => {
    await talk(1);
    expect((await correct(vera, "🦉".repeat(2_000))).status).toBe(200);
    for (const wrong of ["🦉".repeat(2_001), 7, undefined, ["x"], "a\0b"]) {
      const { status, body } = await correct(vera, wrong);
      expect([status, body.error, body.details[0].field]).toEqual([
        400,
        "invalid_input",
        "summary",
      ]);
    }
    expect(await summaryOf(vera)).toBe("🦉".repeat(2_000));
  });

  it("is changed by one of those who have read the same, however many save at once", async () => {
    await talk(1);
    const save = (summary: string | null, expected: string) =>
      correct(vera, summary, { ...room, expected });
    for (const read of ["", "Vera owns a boat."]) {
      await correct(vera, read === "" ? null : read);
      const wanted = ["one", "two", "three", "four", "five"].map((nth) => `Of window ${nth}.`);
      const answers = await Promise.all(wanted.map((summary) => save(summary, read)));
      const won = answers.findIndex(({ status }) => status === 200);
      expect(await summaryOf(vera)).toBe(wanted[won]);
      const others = answers.filter((_, nth) => nth !== won);
      expect(others.map(({ body }) => body.error)).toEqual(Array(4).fill("summary_changed"));
    }
    const now = await summaryOf(vera);
    expect((await save(null, "Vera owns a boat.")).status).toBe(409);
    expect(await summaryOf(vera)).toBe(now);
    expect((await save(null, now)).body).toMatchObject({ summary: "" });
    // Who doesn't say what they have read writes over it.
    expect((await correct(vera, "Anyway.")).status).toBe(200);
  });

  it("is for the owner alone", async () => {
    const otto = await hub.vip(`otto-${room.soul_id}`);
    await talk(1);
    await say(otto, room, "Hello.");
    expect((await correct(vera, "Kept.")).status).toBe(200);
    const answer = async (who: Actor, where = room) => {
      const { status, body } = await correct(who, "Mine now.", where);
      return [status, body.error];
    };
    expect(await answer(otto)).toEqual([403, "not_owner"]);
    await say(vera, room, "Out.", { is_private: true });
    expect(await answer(otto)).toEqual([403, "private_session"]);
    expect(await answer(vera, { ...room, session_token: "nobody-wrote" })).toEqual([
      403,
      "not_owner",
    ]);
    expect(await answer(vera, { ...room, soul_id: 2 ** 53 - 1 })).toEqual([404, "soul_not_found"]);
    expect(await answer(hub.guest())).toEqual([401, "unauthenticated"]);
    expect(await summaryOf(vera)).toBe("Kept.");
  });

  it("needs no pass; on the hub's page a session will do", async () => {
    const page = await signedIn(hub, `page-${room.soul_id}`);
    await sayOnPage(page, room, "Hello.");
    const { status } = await correct(page, "On the page.");
    expect(status).toBe(401);
    const { body } = await page.post("/trpc/chat.correctSummary", {
      ...room,
      summary: "On the page.",
    });
    expect(body.result.data).toEqual({
      message: "The memory is corrected.",
      summary: "On the page.",
    });
  });
});
