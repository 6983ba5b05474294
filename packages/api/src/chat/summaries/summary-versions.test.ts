import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  lengthen,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  signedIn,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { roomRow, switchTo } from "../tree/tree.fixture.ts";

const isFold = ({ model }: SeenRequest) => model === "summary-model";
/** Delays every summary run until it resolves. */
let gate: Promise<void> | undefined;
let folds = 0;
const options = {
  routes: { summary: "openai-compatible:summary-model" },
  provider: {
    reply: async function* (request: SeenRequest) {
      const count = isFold(request) ? ++folds : 0;
      if (count > 0) await gate;
      yield count > 0 ? `Summary ${count}.` : "Go on.";
    },
  },
};

const summaryOf = async (who: Actor, { soul_id, session_token }: RoomName) =>
  who.get(`/api/room-summary?soul_id=${soul_id}&session_token=${session_token}`);

/** Decisions §5, Memory: the owner reads the versions of the summary and goes back to one. */
describeChat("/api/room-summary", options, (hub) => {
  let vera: Actor;
  let room: RoomName;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    await hub.pass(vera, "pro");
  });
  beforeEach(async () => {
    gate = undefined;
    folds = 0;
    room = await openRoom(vera);
  });

  const read = async (who = vera) => (await summaryOf(who, room)).body.data;
  const restore = (version: unknown, more: object = {}, who = vera) =>
    who.post("/api/room-summary", { ...room, version, ...more });
  const correct = (summary: string | null) => vera.put("/api/my-chats", { ...room, summary });
  const ask = async (content: string, more: object = {}) => {
    const { body } = await say(vera, room, content, more);
    expect(body.error).toBeUndefined();
    return { question: body.question_id as number, reply: body.message_id as number };
  };
  const askMany = async (name: string, count: number) => {
    const asked = [];
    for (let n = 1; n <= count; n++) asked.push(await ask(`${name} ${n}.`));
    return asked;
  };
  const folded = (summary: string) =>
    eventually(async () =>
      expect(await roomRow(hub, room)).toMatchObject({ summary, folding_until: null }),
    );
  const foldText = () => hub.provider.requests.findLast(isFold)?.messages[0]?.content ?? "";
  const versions = async () => {
    const { current, history } = await read();
    return {
      current: current?.version ?? null,
      history: history.map((one: { version: number; text: string }) => [one.version, one.text]),
    };
  };

  it("lists each fold, correction, reset and rollback, newest first", async () => {
    await ask("Hello.");
    expect(await read()).toEqual({ current: null, history: [] });
    const asked = await askMany("Line", 15);
    await folded("Summary 1.");
    await correct("Vera owns a boat.");
    await correct(null);
    const { body } = await restore(1);
    expect(body).toEqual({
      success: true,
      message: "The memory is back at version 1.",
      version: 4,
    });
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    // 32 messages: the newest 12 are not folded.
    const covers_to = asked[8]?.reply;
    const person = { name: "vera", created_at };
    const history = [
      { version: 4, text: "Summary 1.", covers_to, made_by: "rollback", ...person },
      { version: 3, text: "", covers_to: asked[14]?.reply, made_by: "person", ...person },
      { version: 2, text: "Vera owns a boat.", covers_to, made_by: "person", ...person },
      { version: 1, text: "Summary 1.", covers_to, made_by: "fold", created_at },
    ];
    expect(await read()).toEqual({ current: history[0], history });
  });

  it("says which version is current also after a reset", async () => {
    await askMany("Line", 2);
    await correct("Vera owns a boat.");
    await correct(null);
    expect(await read()).toMatchObject({ current: { version: 2, text: "" } });
    await restore(1);
    await restore(2);
    expect(await read()).toMatchObject({ current: { version: 4, text: "" } });
    await ask("And now?");
    expect(JSON.stringify(hub.provider.requests.at(-1)?.messages)).not.toContain("SUMMARY");
  });

  it("folds later messages again after a rollback, and loses none", async () => {
    await askMany("Line", 16);
    await folded("Summary 1.");
    await askMany("Later", 10);
    await folded("Summary 2.");
    const second = foldText();
    await correct("Vera owns a boat.");
    await restore(1);
    expect(await versions()).toMatchObject({ current: 4 });
    const { body } = await say(vera, room, "And now?");
    expect(body.made_by.summary_version).toBe(4);
    expect(hub.provider.requests.findLast((one) => !isFold(one))?.messages[0]?.content).toContain(
      "Summary 1.",
    );
    await folded("Summary 3.");
    expect(foldText().startsWith(second)).toBe(true);
    expect(second).toMatch(
      /^Summary so far:\nSummary 1\.\n\nNext lines:\n\[vera\] Line 11\.\n\[Orla \(soul\)\] Go on\./,
    );
    expect(await versions()).toEqual({
      current: 5,
      history: [
        [5, "Summary 3."],
        [4, "Summary 1."],
        [3, "Vera owns a boat."],
        [2, "Summary 2."],
        [1, "Summary 1."],
      ],
    });
  });

  it("is not overwritten by a fold that began before the rollback", async () => {
    await ask("Hello.");
    await correct("Vera owns a boat.");
    await correct("Vera owns two boats.");
    const open = Promise.withResolvers<void>();
    gate = open.promise;
    await askMany("Line", 15);
    await eventually(() => expect(folds).toBe(1));
    expect((await restore(1)).status).toBe(200);
    open.resolve();
    await folded("Vera owns a boat.");
    expect(await versions()).toMatchObject({ current: 3 });
  });

  it("goes back only if the expected version is current", async () => {
    await ask("Hello.");
    for (const text of ["One.", "Two.", "Three."]) await correct(text);
    for (const expected of [1, 2, 4]) {
      expect(failureOf(await restore(1, { expected }))).toEqual([409, "summary_changed"]);
    }
    expect(await versions()).toMatchObject({ current: 3 });
    const answers = await Promise.all([1, 2, 1, 2].map((one) => restore(one, { expected: 3 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await restore(3, { expected: 4 })).status).toBe(200);
    expect(await versions()).toMatchObject({ current: 5 });
  });

  it.each([
    ["beyond the newest", 3],
    ["beyond every number", 2 ** 53 - 1],
  ])("knows no version %s", async (_, version) => {
    await ask("Hello.");
    for (const text of ["One.", "Two."]) await correct(text);
    expect(failureOf(await restore(version))).toEqual([404, "version_not_found"]);
    expect(failureOf(await restore(version, { expected: version }))).toEqual([
      404,
      "version_not_found",
    ]);
    expect(await versions()).toMatchObject({ current: 2 });
  });

  it("refuses a version that is no number", async () => {
    await ask("Hello.");
    await correct("One.");
    for (const version of [0, -1, 1.5, "1", null, undefined]) {
      expect(failureOf(await restore(version))).toEqual([400, "invalid_input"]);
    }
    expect(failureOf(await restore(1, { expected: 0 }))).toEqual([400, "invalid_input"]);
  });

  it("tells nothing of an abandoned branch until the path returns to it", async () => {
    const old = await askMany("Old", 16);
    await folded("Summary 1.");
    await switchTo(vera, room, old[2]?.reply ?? 0);
    await correct("They begin anew.");
    expect(await versions()).toEqual({ current: 2, history: [[2, "They begin anew."]] });
    expect(failureOf(await restore(1))).toEqual([404, "version_not_found"]);
    await askMany("New", 14);
    await folded("Summary 2.");
    expect(foldText()).not.toContain("Old 4.");
    await switchTo(vera, room, old[15]?.reply ?? 0);
    // The correction covers no message, so it is on every path.
    expect(await versions()).toEqual({
      current: 2,
      history: [
        [2, "They begin anew."],
        [1, "Summary 1."],
      ],
    });
    expect(failureOf(await restore(3))).toEqual([404, "version_not_found"]);
    expect((await restore(1)).status).toBe(200);
    expect(await versions()).toMatchObject({ current: 4 });
  });

  it("is for the owner, also with a session over tRPC", async () => {
    const otto = await hub.vip(`otto-${room.soul_id}`);
    const nameless = hub.guest();
    await ask("Hello.");
    await say(otto, room, "Hello.");
    await correct("One.");
    for (const answer of [await summaryOf(otto, room), await restore(1, {}, otto)]) {
      expect(failureOf(answer)).toEqual([403, "not_owner"]);
    }
    for (const answer of [await summaryOf(nameless, room), await restore(1, {}, nameless)]) {
      expect(failureOf(answer)).toEqual([401, "unauthenticated"]);
    }

    const page = await signedIn(hub, `page-${room.soul_id}`);
    room = { ...room, session_token: "page" };
    await sayOnPage(page, room, "Hello.");
    await page.post("/trpc/chat.correctSummary", { ...room, summary: "On the page." });
    const { body } = await page.post("/trpc/rooms.restoreSummary", { ...room, version: 1 });
    expect(body.result.data.version).toBe(2);
    const input = encodeURIComponent(JSON.stringify(room));
    const { data } = (await page.get(`/trpc/rooms.summary?input=${input}`)).body.result.data;
    expect(data.current).toMatchObject({ version: 2, text: "On the page.", made_by: "rollback" });
    expect(
      failureOf(await page.post("/trpc/rooms.restoreSummary", { ...room, version: 9 })),
    ).toEqual([404, "version_not_found"]);
  });

  describe("with a summary of a server of the first release", () => {
    let covers_to: number;
    const former = (summary: string) =>
      sql`update chat_rooms set summary = ${summary}, summarised_to = ${covers_to}
        where soul_id = ${room.soul_id}`.execute(hub.hub.database.db);
    beforeEach(async () => {
      const asked = await askMany("Line", 3);
      covers_to = asked[1]?.reply ?? 0;
    });

    it("lists it under the number that it gets with the next change", async () => {
      await former("From before.");
      const version = { version: 1, text: "From before.", covers_to, made_by: "fold" };
      const before = await read();
      expect(before).toMatchObject({ current: version, history: [version] });
      expect(await read()).toEqual(before);
      await correct("Vera owns a boat.");
      expect(await read()).toMatchObject({ current: { version: 2 }, history: [{}, version] });
      await former("From after.");
      expect(await versions()).toMatchObject({ current: 3 });
      expect((await restore(2, { expected: 3 })).body.version).toBe(4);
      expect((await restore(3, { expected: 4 })).body.version).toBe(5);
      expect(await read()).toMatchObject({ current: { text: "From after.", covers_to } });
    });
  });

  it("asks a fold to name who said and decided what", async () => {
    const ben = await hub.vip(`ben-${room.soul_id}`);
    await askMany("Line", 15);
    await say(ben, room, "I decide: no boat.");
    await folded("Summary 1.");
    await askMany("Line", 10);
    await folded("Summary 2.");
    expect(foldText()).toContain(`[ben-${room.soul_id}] I decide: no boat.`);
    expect(hub.provider.requests.findLast(isFold)?.system).toMatch(
      /what each person said, wants and decided.+Name the person with each statement and decision/,
    );
  });
});

describe("a rollback in a long room", () => {
  it("loses no message of the path, and reads none of another branch", async () => {
    gate = undefined;
    folds = 0;
    await using hub = await startChatHub({ ...options });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    const { body: first } = await say(vera, room, "Hello.");
    await vera.put("/api/my-chats", { ...room, summary: "They met." });
    await say(vera, room, "Abandoned.");
    await say(vera, room, "Instead.", { parent_id: first.message_id });
    await lengthen(hub, 300);
    await vera.put("/api/my-chats", { ...room, summary: null });
    await vera.post("/api/room-summary", { ...room, version: 1 });
    // A fold reads 200 messages.
    for (const count of [1, 2]) {
      await say(vera, room, "And now?");
      const summary = `Summary ${count}.`;
      await eventually(async () =>
        expect(await roomRow(hub, room)).toMatchObject({ summary, folding_until: null }),
      );
    }
    const read = hub.provider.requests.filter(isFold).map((one) => one.messages[0]?.content ?? "");
    const lines = read.join("\n").match(/(?<=\] ).+/g);
    expect(read[0]).toContain("Summary so far:\nThey met.");
    expect(lines?.slice(0, 3)).toEqual(["Hello.", "Go on.", "Instead."]);
    // Of the newest 12 messages, 8 are such lines.
    const written = Array.from({ length: 292 }, (_, n) => `line ${n + 3}`);
    expect(lines?.slice(4)).toEqual(written);
  });
});
