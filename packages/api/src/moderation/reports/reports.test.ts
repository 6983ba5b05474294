import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { type Actor, createActor } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  openRoom,
  type RoomName,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { PASSWORD } from "../../testing/test-hub.ts";
import { act, actOn, caseOf, readCase, staffOf } from "../staff.fixture.ts";

/** Reports, and the parts of the reported text that staff read (0062). */
describeChat("reports", {}, (hub) => {
  let author: Actor;
  let ben: Actor;
  let staff: Actor;
  let room: RoomName;

  beforeAll(async () => {
    author = await hub.vip("author");
    ben = await hub.vip("ben");
    staff = await staffOf(hub, "mia");
  });
  beforeEach(async () => {
    room = await openRoom(author, { title: "Orla" });
  });

  const report = (who: Actor, target: object, more: object = {}) =>
    who.post("/api/reports", { reason: "spam", ...target, ...more });
  const soul = () => ({ kind: "soul", soul_id: room.soul_id });
  const openCases = async () => (await staff.get("/api/mod/cases?limit=100")).body.data;
  const caseId = async () => (await openCases()).at(-1).id as number;

  it("of one target are one case, and the same again is the same report", async () => {
    const first = await report(ben, soul(), { note: "It shows my address." });
    expect([first.status, typeof first.body.report_id]).toEqual([200, "number"]);
    const again = await report(ben, soul(), { reason: "abuse" });
    expect(again.body.report_id).toBe(first.body.report_id);
    const byGuest = await report(hub.guest(), soul(), { reason: "abuse" });
    expect(byGuest.body.report_id).not.toBe(first.body.report_id);
    expect((await openCases()).at(-1)).toMatchObject({
      state: "open",
      kind: "soul",
      target: { soul_id: room.soul_id, title: "Orla", username: "author" },
      reports: 2,
      reasons: ["abuse", "spam"],
    });
    const read = await readCase(staff, await caseId());
    expect(read.reports).toMatchObject([
      { reporter_name: "ben", reason: "spam", note: "It shows my address." },
      { reporter_name: expect.stringContaining("Anonymous"), reason: "abuse", note: "" },
    ]);
  });

  it("at once by many are one case", async () => {
    const before = (await openCases()).length;
    const reporters = await Promise.all(
      Array.from({ length: 6 }, (_, n) => hub.member(`crowd-${room.soul_id}-${n}`)),
    );
    const answers = await Promise.all(
      [...reporters, ...reporters].map((who) => report(who, soul())),
    );
    expect(new Set(answers.map(({ body }) => body.report_id)).size).toBe(6);
    expect((await openCases()).length).toBe(before + 1);
    expect((await openCases()).at(-1).reports).toBe(6);
  });

  it("keep each reported text, whatever the author deletes", async () => {
    await report(ben, soul());
    await author.put(`/api/soul/${room.soul_id}`, { content: "Call 555 0100." });
    await report(hub.guest(), soul());
    expect((await author.delete(`/api/soul/${room.soul_id}`)).status).toBe(200);
    const { excerpt, earlier_excerpts, target } = await readCase(staff, await caseId());
    expect(excerpt).toMatchObject({ content: "Call 555 0100.", version: 2 });
    expect(earlier_excerpts).toMatchObject([{ title: "Orla", version: 1 }]);
    // Both texts may be of the same second.
    expect(excerpt.id).toBeGreaterThan(earlier_excerpts[0].id);
    expect(target.title).toBe(null);
  });

  it("keep the first and the newest texts, however often the author edits", async () => {
    const edit = async (content: string) => {
      await author.put(`/api/soul/${room.soul_id}`, { content });
      return caseOf(staff, soul());
    };
    const shown = async (id: number) => {
      const { excerpt, earlier_excerpts } = await readCase(staff, id);
      return [...earlier_excerpts, excerpt].map(({ content }) => content.slice(0, 9));
    };
    await edit("Text 0");
    for (let n = 1; n < 13; n++) await edit(`Text ${n}`);
    const newest = Array.from({ length: 9 }, (_, n) => `Text ${n + 4}`);
    expect(await shown(await caseId())).toEqual(["Text 0", ...newest]);

    room = await openRoom(author, { content: "Text 0" });
    await caseOf(staff, soul());
    for (let n = 1; n < 5; n++) await edit(`Long ${n}   ${"x".repeat(199_000)}`);
    expect(await shown(await caseId())).toEqual(["Text 0", "Long 2   ", "Long 3   ", "Long 4   "]);
  });

  it("are shown from both ends, if they are many", async () => {
    await report(ben, soul());
    const id = await caseId();
    await sql`insert into mod_reports (case_id, reporter, reporter_name, reason, note)
      select ${id}, 'guest:' || n, 'Guest ' || n, 'spam', '' from generate_series(1, 250) as n`.execute(
      hub.hub.database.db,
    );
    const names: string[] = (await readCase(staff, id)).reports.map(
      ({ reporter_name }: { reporter_name: string }) => reporter_name,
    );
    expect(names).toHaveLength(200);
    expect([names[0], names[99], names[100], names[199]]).toEqual([
      "ben",
      "Guest 99",
      "Guest 151",
      "Guest 250",
    ]);
  });

  it("of a message show at most 5 messages around it, and no more of a private room", async () => {
    for (let n = 1; n <= 6; n++) await say(author, room, `Line ${n}`, { is_private: true });
    const { messages } = (await history(author, room)).body;
    const line = messages[6];
    const target = { kind: "message", ...room, message_id: line.id };
    expect(failureOf(await report(ben, target))).toEqual([403, "private_session"]);
    expect((await report(author, target)).status).toBe(200);
    await author.delete(
      `/api/message?${new URLSearchParams({ soul_id: `${room.soul_id}`, session_token: room.session_token, id: line.id })}`,
    );
    const { excerpt } = await readCase(staff, await caseId());
    const shown = messages.slice(3, 9).map(({ content }: { content: string }) => content);
    expect(excerpt.lines.map(({ content }: { content: string }) => content)).toEqual(shown);
    expect(
      failureOf(await staff.get(`/api/room?soul_id=${room.soul_id}&session_token=lobby`)),
    ).toEqual([403, "private_session"]);
  });

  it("of a message show its path, marked, and no other line off the record", async () => {
    const first = (await say(author, room, "First")).body.question_id;
    const second = (await say(author, room, "Second")).body;
    const aside = async () =>
      (await author.post("/api/say", { ...room, content: "Psst." })).body.message_id;
    const reported = await aside();
    await say(author, room, "Third");
    await say(author, room, "", { regenerate: second.question_id });
    await aside();
    await author.put("/api/message", { ...room, id: first, content: "The first" });
    const marks = ["edited_at", "audience", "other_branch"] as const;
    type Line = Record<"role" | "content" | (typeof marks)[number], string>;
    const around = async (named: object) => {
      expect((await report(author, { ...room, ...named })).status).toBe(200);
      return (await readCase(staff, await caseId())).excerpt.lines.map((line: Line) =>
        [
          line.role === "user" ? line.content : "reply",
          ...marks.filter((mark) => line[mark]),
        ].join(),
      );
    };
    const message = (message_id: number) => around({ kind: "message", message_id });
    const path = ["The first,edited_at", "reply", "Second", "reply"];
    const other = [...path.slice(0, 3), "reply,other_branch"];
    expect(await message(second.question_id)).toEqual(path);
    expect(await message(second.message_id)).toEqual(other);
    expect(await message(reported)).toEqual([...other, "Psst.,audience,other_branch"]);
    expect(await around({ kind: "room" })).toEqual(path);
  });

  it("of what the caller does not see are answered as the thing itself", async () => {
    await author.put(`/api/soul/${room.soul_id}`, { is_public: 0 });
    expect(failureOf(await report(ben, soul()))).toEqual([404, "soul_not_found"]);
    const person = { kind: "person", username: "nobody-here" };
    expect(failureOf(await report(ben, person))).toEqual([404, "user_not_found"]);
    const incomplete = await report(ben, { kind: "message", ...room });
    expect(incomplete.body.details).toEqual([
      { field: "message_id", message: "is required for a message" },
    ]);
  });

  it("of a person are possible as long as the person has a profile", async () => {
    const name = `hidden-${room.soul_id}`;
    const zoe = await hub.member(name);
    const person = { kind: "person", username: name };
    const first = await report(ben, person);
    const id = await caseId();
    const lift = async () => act(staff, id, "restore");
    expect((await act(staff, id, "suspend")).status).toBe(200);
    for (const who of [ben, hub.guest(), staff]) {
      expect((await who.get(`/api/profile?username=${name}`)).status).toBe(404);
      expect(failureOf(await report(who, person))).toEqual([404, "user_not_found"]);
    }
    // Staff have a list of suspended people.
    const again = await staff.post("/api/mod/cases", person);
    expect((await act(staff, again.body.id, "dismiss")).status).toBe(200);
    expect((await lift()).status).toBe(200);
    const second = await report(ben, person);
    expect([first.status, second.status]).toEqual([200, 200]);
    await zoe.post("/api/delete-account", {
      password: PASSWORD,
      souls: "delete",
      messages: "anonymise",
    });
    expect(failureOf(await report(ben, person))).toEqual([404, "user_not_found"]);
  });

  it("of a room are possible as long as its soul is shown", async () => {
    await say(author, room, "Hello.");
    const target = { kind: "room", ...room };
    expect((await report(ben, target)).status).toBe(200);
    const hidden = await actOn(staff, soul(), "hide_soul");
    expect(failureOf(await report(ben, target))).toEqual([404, "soul_not_found"]);
    await act(staff, hidden, "restore");
    expect((await report(ben, target)).status).toBe(200);
    await actOn(staff, target, "close_room");
    expect(failureOf(await report(ben, target))).toEqual([403, "private_session"]);
  });

  it("of the hub's own accounts are possible, since they have profiles", async () => {
    const name = `own-${room.soul_id}`;
    await hub.member(name);
    await hub.hub.database.db
      .updateTable("accounts")
      .set({ password_hash: null })
      .where("username", "=", name)
      .execute();
    expect((await ben.get(`/api/profile?username=${name}`)).status).toBe(200);
    expect((await report(ben, { kind: "person", username: name })).status).toBe(200);
  });

  it("tell the reporter what became of them", async () => {
    await report(ben, soul(), { note: "Look." });
    const own = async () => (await ben.get("/api/reports")).body.data[0];
    expect(await own()).toMatchObject({ note: "Look.", outcome: null, target: { kind: "soul" } });
    const id = await caseId();
    await act(staff, id, "hide_soul");
    expect((await own()).outcome).toBe("acted");
    await act(staff, id, "restore");
    expect((await own()).outcome).toBe("dismissed");
  });

  it("are listed to the reporter page by page, newest first", async () => {
    const who = await hub.member(`page-${room.soul_id}`);
    const ids: number[] = [];
    for (let n = 0; n < 3; n++) {
      const { soul_id } = await openRoom(author);
      ids.unshift((await report(who, { kind: "soul", soul_id })).body.report_id);
    }
    const page = async (query: string) => {
      const { count, data, next_cursor } = (await who.get(`/api/reports?${query}`)).body;
      return [count, data.map(({ id }: { id: number }) => id), next_cursor];
    };
    expect(await page("limit=2")).toEqual([2, ids.slice(0, 2), ids[1]]);
    expect(await page(`limit=2&cursor=${ids[1]}`)).toEqual([1, ids.slice(2), undefined]);
    expect(await page("")).toEqual([3, ids, undefined]);
    expect(failureOf(await who.get("/api/reports?limit=101"))).toEqual([400, "invalid_input"]);
  });

  it("tell the reporter no title of a hidden soul, and no owner of a room", async () => {
    await say(author, room, "Hello.");
    await report(ben, { kind: "room", ...room });
    await report(ben, soul());
    await report(author, soul());
    const targets = async (who: Actor) =>
      (await who.get("/api/reports")).body.data.map((one: { target: object }) => one.target);
    const username = author.name;
    expect((await targets(ben)).slice(0, 2)).toMatchObject([
      { kind: "soul", title: "Orla", username },
      { kind: "room", title: "Orla", username: null },
    ]);
    await author.put(`/api/soul/${room.soul_id}`, { title: "555 0100", is_public: 0 });
    expect((await targets(ben)).slice(0, 2)).toMatchObject([{ title: null }, { title: null }]);
    expect((await targets(author))[0]).toMatchObject({ title: "555 0100", username });
  });

  it("are limited to 20 a day of an account, and 3 of an address without one", async () => {
    await using limited = await startChatHub({ config: { rateLimits: true } });
    const owner = await limited.member("olga");
    const souls: object[] = [];
    for (let n = 0; n < 22; n++) {
      const { soul_id } = await openRoom(owner);
      souls.push({ kind: "soul", soul_id });
    }
    const statuses = async (who: Actor, of: object[]) => {
      const seen: number[] = [];
      for (const target of of) seen.push((await report(who, target)).status);
      return seen;
    };
    const guest = limited.guest();
    expect(await statuses(guest, souls.slice(0, 4))).toEqual([200, 200, 200, 429]);
    expect(await statuses(guest, souls.slice(0, 1))).toEqual([200]);
    expect((await statuses(owner, souls)).slice(19)).toEqual([200, 429, 429]);
    const refused = await report(owner, souls[21] ?? {});
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(80_000);

    const crowd = await limited.member("carl");
    const atOnce = await Promise.all(souls.map((target) => report(crowd, target)));
    expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(20);

    const same = { database: limited.hub.database, config: { rateLimits: true } };
    await using another = await startChatHub(same);
    const there = createActor({ name: "olga", apiKey: owner.apiKey, baseUrl: () => another.url });
    expect(await statuses(there, souls.slice(19))).toEqual([200, 429, 429]);
    await limited.moveClock("25 hours");
    expect(await statuses(there, souls.slice(19))).toEqual([200, 200, 200]);
  });
});
