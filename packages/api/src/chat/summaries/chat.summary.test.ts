import { beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, type RoomName, say, sayOnPage, signedIn } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";

/** A promise that delays every summary run until it resolves. */
let gate: Promise<void> | undefined;
let folds = 0;
const options = {
  routes: { summary: "openai-compatible:summary-model" },
  provider: {
    reply: async function* ({ model }: SeenRequest) {
      const isFold = model === "summary-model";
      if (isFold) folds++;
      if (isFold) await gate;
      yield isFold ? `Summary ${folds}.` : "Go on.";
    },
  },
};

/** Decisions §5, Memory: the owner reads the summary in my-chats, and sets or clears it. */
describeRoom("PUT /api/my-chats", options, (hub, vera, room) => {
  const lastRequest = (model: string) =>
    hub.provider.requests.findLast((request) => request.model === model);
  const foldText = () => lastRequest("summary-model")?.messages[0]?.content ?? "";
  const lastPrompt = () => lastRequest("text-model");

  beforeEach(async () => {
    gate = undefined;
    lines = 0;
  });

  const correct = (who: Actor, summary: unknown, where: object = room) =>
    who.put("/api/my-chats", { ...where, summary });
  const summaryOf = async (who: Actor): Promise<string> =>
    (await who.get("/api/my-chats")).body.sessions.find(
      ({ soul_id }: RoomName) => soul_id === room.soul_id,
    )?.summary;
  let lines = 0;
  const sendMessages = async (exchanges: number) => {
    for (let n = 0; n < exchanges; n++) {
      expect((await say(vera, room, `Line ${++lines}.`)).status).toBe(200);
    }
  };
  /** Resolves when a summary run has changed the summary. */
  const folded = (before: string) =>
    eventually(async () => expect(await summaryOf(vera)).not.toBe(before));

  it("sets the summary, which my-chats and the next prompt contain", async () => {
    await sendMessages(1);
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
    await sendMessages(1);
    expect(lastPrompt()?.messages[0]).toMatchObject({
      role: "user",
      content: expect.stringMatching(
        /^----- BEGIN SUMMARY (\d+) -----\nVera is afraid of the dark\.\n----- END SUMMARY \1 -----$/,
      ),
    });
    expect(lastPrompt()?.system).not.toContain("afraid");
  });

  it("is the base of later summary runs, which read no message twice", async () => {
    await sendMessages(16);
    await folded("");
    expect(foldText()).toContain("[vera] Line 10.");
    expect(foldText()).toContain("[Orla (soul)] Go on.");
    await correct(vera, "Vera owns a boat.");
    await sendMessages(10);
    await folded("Vera owns a boat.");
    expect(foldText()).toMatch(
      /^Summary so far:\nVera owns a boat\.\n\nNext lines:\n\[vera\] Line 11\./,
    );
  });

  it.each([null, "", " \n"])(
    "with %j resets the summary; earlier messages are never folded again",
    async (nothing) => {
      await sendMessages(16);
      await folded("");
      await sendMessages(2);
      const { body } = await correct(vera, nothing);
      expect(body).toEqual({ success: true, message: "The memory is reset.", summary: "" });
      expect(await summaryOf(vera)).toBe("");
      await sendMessages(15);
      expect(JSON.stringify(lastPrompt()?.messages)).not.toContain("BEGIN SUMMARY");
      await sendMessages(1);
      await folded("");
      expect(foldText()).toMatch(/^Next lines:\n\[vera\] Line 19\./);
    },
  );

  it.each([
    ["a correction", "Vera owns a boat."],
    ["a reset", null],
  ])("is not overwritten by a running fold: %s", async (_, summary) => {
    const open = Promise.withResolvers<void>();
    const before = folds;
    gate = open.promise;
    await sendMessages(16);
    await eventually(() => expect(folds).toBe(before + 1));
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
    // After a correction of the summary, the next summary run reads the earlier messages again.
    // After a reset of the summary, it reads new messages only.
    await sendMessages(summary ? 1 : 16);
    await folded(summary ?? "");
    expect(foldText()).toContain(summary ? "[vera] Line 1." : "[vera] Line 17.");
    if (!summary) expect(foldText()).not.toContain("[vera] Line 16.");
  });

  it("accepts at most 2,000 characters", async () => {
    await sendMessages(1);
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

  it("accepts one of several concurrent changes with the same expected summary", async () => {
    await sendMessages(1);
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
    // A request without `expected` replaces the stored summary, whatever its text is.
    expect((await correct(vera, "Anyway.")).status).toBe(200);
  });

  it("is allowed to the owner only", async () => {
    const otto = await hub.vip(`otto-${room.soul_id}`);
    await sendMessages(1);
    await say(otto, room, "Hello.");
    expect((await correct(vera, "Kept.")).status).toBe(200);
    const answer = async (who: Actor, where = room) =>
      failureOf(await correct(who, "Mine now.", where));
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

  it("needs no pass, and accepts a session over tRPC", async () => {
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
