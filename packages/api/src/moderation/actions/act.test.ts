import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, openRoom, type RoomName, say, signedIn } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { PASSWORD } from "../../testing/test-hub.ts";
import {
  accountId,
  act,
  actOn,
  auditOf,
  caseOf,
  operatorOf,
  readCase,
  staffOf,
} from "../staff.fixture.ts";
import { endSuspensions } from "./end-suspensions.ts";

/** The decisions of staff, the right to decide, and the effects on an account (0062). */
describeChat("decisions of the staff", {}, (hub) => {
  let author: Actor;
  let mia: Actor;
  let max: Actor;
  let admin: Actor;
  let room: RoomName;
  let name: string;
  let number = 0;

  beforeAll(async () => {
    mia = await staffOf(hub, "mia");
    max = await staffOf(hub, "max");
    admin = await staffOf(hub, "amy", "admin");
  });
  beforeEach(async () => {
    name = `author-${++number}`;
    author = await hub.vip(name);
    room = await openRoom(author, { title: `Orla of ${name}` });
  });

  const person = () => ({ kind: "person", username: name });
  const soul = () => ({ kind: "soul", soul_id: room.soul_id });
  const notices = async (who = author) => (await who.get("/api/notices")).body.data;
  const appeal = (decision_id: number, who = author) =>
    who.post("/api/appeals", { decision_id, text: "It is my own shop's." });

  it("are read page by page, newest first", async () => {
    for (const action of ["warn", "warn", "warn"] as const) await actOn(mia, soul(), action);
    const ids = (await notices()).map((one: { decision_id: number }) => one.decision_id);
    expect(ids).toHaveLength(3);
    const first = (await author.get("/api/notices?limit=2")).body;
    const next = (await author.get(`/api/notices?limit=2&cursor=${first.next_cursor}`)).body;
    expect([first.count, next.count, next.next_cursor]).toEqual([2, 1, undefined]);
    const paged = [...first.data, ...next.data];
    expect(paged.map(({ decision_id }) => decision_id)).toEqual(ids);
    expect((await author.get("/api/notices?limit=101")).body.error).toBe("invalid_input");
  });

  it("make a notice, close the case, and are audited with it", async () => {
    const id = await actOn(mia, soul(), "warn");
    expect(await notices()).toMatchObject([
      {
        action: "warn",
        reason: "private_data",
        message: "Please take the address out.",
        target: { kind: "soul", soul_id: room.soul_id },
        until: null,
        appeal: null,
      },
    ]);
    expect((await readCase(mia, id)).state).toBe("closed");
    const actor = `account:${await accountId(hub, "mia")}`;
    expect((await auditOf(hub)).slice(-4)).toEqual([
      `${actor} open-case soul:${room.soul_id}`,
      `${actor} read-case case:${id}`,
      `${actor} warn soul:${room.soul_id}`,
      `${actor} read-case case:${id}`,
    ]);
    const dismissed = await actOn(mia, soul(), "dismiss", { message_to_author: undefined });
    expect(dismissed).not.toBe(id);
    expect(await notices()).toHaveLength(1);
  });

  it("are found by their id, also behind 100 newer ones", async () => {
    await actOn(mia, soul(), "hide_soul");
    const [{ decision_id }] = await notices();
    await sql`insert into mod_decisions
        (case_id, account_id, action, reason, message, decided_by, appeal_until)
      select case_id, account_id, 'warn', reason, message, decided_by, appeal_until
      from mod_decisions cross join generate_series(1, 100) where id = ${decision_id}`.execute(
      hub.hub.database.db,
    );
    const ids = (await notices()).map((one: { decision_id: number }) => one.decision_id);
    expect([ids.length, ids.includes(decision_id)]).toEqual([100, false]);
    const found = async (who: Actor) =>
      (await who.get(`/api/notices?decision_id=${decision_id}`)).body;
    expect(await found(author)).toMatchObject({
      count: 1,
      data: [{ decision_id, action: "hide_soul" }],
    });
    expect(await found(max)).toMatchObject({ count: 0, data: [] });
  });

  it("are unread until seen, and cases of others wait for the staff", async () => {
    const waiting = async (who: Actor) => {
      const { unread_notices, open_cases } = (await who.get("/api/me")).body.user;
      return [unread_notices, open_cases];
    };
    const see = (seen_to: number) => author.put("/api/notices", { seen_to });
    const [, before] = await waiting(max);
    await actOn(mia, soul(), "dismiss", { message_to_author: undefined });
    expect(await waiting(author)).toEqual([0, undefined]);
    await actOn(mia, soul(), "warn");
    await actOn(mia, soul(), "warn");
    await caseOf(mia, soul());
    // Staff decide no case about themselves.
    await caseOf(mia, { kind: "person", username: "max" });
    expect(await waiting(max)).toEqual([0, before + 1]);
    expect(await waiting(mia)).toEqual([0, before + 2]);
    const [newest, oldest] = await notices();
    expect(await waiting(author)).toEqual([2, undefined]);
    await see(oldest.decision_id);
    expect(await waiting(author)).toEqual([1, undefined]);
    // No later decision is seen beforehand.
    await see(newest.decision_id + 1_000);
    await see(oldest.decision_id);
    expect(await waiting(author)).toEqual([0, undefined]);
    await actOn(mia, soul(), "suspend");
    expect(await waiting(author)).toEqual([1, undefined]);
    expect((await see((await notices())[0].decision_id)).status).toBe(200);
    expect(await waiting(author)).toEqual([0, undefined]);
  });

  it("of two at once are one, and the other is told that the case has changed", async () => {
    const id = await caseOf(mia, soul());
    const decision = { revision: 1, action: "hide_soul", message_to_author: "Hidden." };
    const answers = await Promise.all(
      [mia, max, admin].map((staff) => staff.post(`/api/mod/cases/${id}/act`, decision)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(failureOf(answers.find(({ status }) => status === 409) as never)[1]).toBe(
      "case_changed",
    );
    expect((await readCase(mia, id)).decisions).toHaveLength(1);
  });

  it("concern staff only if an admin makes them", async () => {
    const target = { kind: "person", username: "max" };
    const id = await caseOf(mia, target);
    expect(failureOf(await act(mia, id, "warn"))).toEqual([403, "not_owner"]);
    expect((await readCase(mia, id)).decisions).toEqual([]);
    expect((await act(admin, id, "warn")).status).toBe(200);
  });

  it("fit the target", async () => {
    const id = await caseOf(mia, person());
    for (const [action, more] of [
      ["hide_soul", {}],
      ["close_room", {}],
      ["silence", {}],
      ["warn", { days: 3 }],
      ["restore", {}],
      ["warn", { message_to_author: " " }],
    ] as const) {
      expect(failureOf(await act(mia, id, action, more))).toEqual([400, "invalid_input"]);
    }
    expect(failureOf(await act(mia, id, "remove_message"))).toEqual([404, "message_not_found"]);
    expect(await notices()).toEqual([]);
  });

  it("are decided again by others, once, after an appeal", async () => {
    const id = await actOn(mia, soul(), "hide_soul");
    const [{ decision_id }] = await notices();
    expect(failureOf(await appeal(decision_id, max))).toEqual([404, "case_not_found"]);
    expect((await appeal(decision_id)).status).toBe(200);
    expect(failureOf(await appeal(decision_id))).toEqual([409, "already_appealed"]);
    const { body } = await mia.get("/api/mod/cases?state=appealed");
    expect(body.data.map((one: { id: number }) => one.id)).toContain(id);
    expect(failureOf(await act(mia, id, "dismiss"))).toEqual([403, "own_decision"]);
    expect((await act(max, id, "restore")).status).toBe(200);
    const [restore, hide] = await notices();
    expect(restore.action).toBe("restore");
    expect(hide).toMatchObject({
      undone_at: expect.any(String),
      appeal: { text: "It is my own shop's.", outcome: "restored" },
    });
    expect(failureOf(await appeal(restore.decision_id))).toEqual([400, "invalid_input"]);
    expect((await hub.guest().get(`/api/soul/${room.soul_id}`)).status).toBe(200);
  });

  it("about staff are decided again by the same admin, if there is no other", async () => {
    const id = await actOn(admin, { kind: "person", username: "max" }, "warn");
    const [{ decision_id }] = await notices(max);
    await appeal(decision_id, max);
    expect(failureOf(await act(mia, id, "restore"))).toEqual([403, "not_owner"]);
    expect((await act(admin, id, "restore")).status).toBe(200);
    expect((await notices(max))[1]).toMatchObject({ appeal: { outcome: "restored" } });
  });

  it("are not made by the person concerned, who does not see the case", async () => {
    const id = await caseOf(mia, { kind: "person", username: "amy" });
    const decision = { revision: 1, action: "dismiss" };
    const refused = await admin.post(`/api/mod/cases/${id}/act`, decision);
    expect(failureOf(refused)).toEqual([403, "not_owner"]);
    expect(refused.body.message).toBe("Nobody decides a case about themselves.");
    expect(failureOf(await admin.get(`/api/mod/cases/${id}`))).toEqual([404, "case_not_found"]);
    const listed = async (who: Actor) => {
      const { data } = (await who.get(`/api/mod/cases?cursor=${id - 1}`)).body;
      return data.map((one: { id: number }) => one.id);
    };
    expect(await listed(admin)).not.toContain(id);
    expect(await listed(mia)).toContain(id);
  });

  it("restrict no account of the hub itself", async () => {
    const { db } = hub.hub.database;
    const id = await caseOf(mia, soul());
    await db
      .updateTable("accounts")
      .set({ password_hash: null })
      .where("username", "=", name)
      .execute();
    for (const action of ["suspend", "silence"]) {
      expect(failureOf(await act(mia, id, action, { days: 3 }))).toEqual([400, "invalid_input"]);
    }
  });

  it("can be appealed against for 30 days", async () => {
    await actOn(mia, person(), "warn");
    const [{ decision_id }] = await notices();
    await hub.moveClock("31 days");
    expect(failureOf(await appeal(decision_id))).toEqual([400, "invalid_input"]);
    await hub.moveClock("0 days");
  });

  it("suspend an account: it reads why and appeals, and its souls are hidden", async () => {
    const login = { username: name, password: PASSWORD, remember: true };
    const page = await hub.signIn(name);
    await using visitor = joinAs(hub, author, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const id = await actOn(mia, person(), "suspend", { days: 7 });
    await eventually(() => expect(visitor.endedBy).toBe("account_suspended"));
    for (const path of ["/api/my-souls", "/api/notices", "/api/reports"]) {
      expect((await page.get(path)).status).toBe(path === "/api/notices" ? 200 : 403);
    }
    expect((await author.get("/api/my-souls")).body).toMatchObject({
      error: "account_suspended",
      reason: "private_data",
      until: expect.stringMatching(/^\d{4}-/),
      decision_id: expect.any(Number),
    });
    expect((await hub.guest().post("/api/login", login)).status).toBe(200);
    const [{ decision_id, until }] = await notices(page);
    expect(until).not.toBe(null);
    expect((await appeal(decision_id, page)).status).toBe(200);
    const guest = hub.guest();
    expect((await guest.get(`/api/soul/${room.soul_id}`)).status).toBe(404);
    expect((await guest.get(`/api/profile?username=${name}`)).status).toBe(404);

    expect((await act(max, id, "restore")).status).toBe(200);
    expect((await author.get("/api/my-souls")).status).toBe(200);
    expect((await guest.get(`/api/soul/${room.soul_id}`)).status).toBe(200);
    expect((await guest.get(`/api/profile?username=${name}`)).status).toBe(200);
  });

  it("suspend until their time is over, by the database's clock", async () => {
    await actOn(mia, person(), "suspend", { days: 7 });
    const read = async () => (await hub.guest().get(`/api/soul/${room.soul_id}`)).status;
    await hub.moveClock("6 days");
    await endSuspensions(hub.hub);
    expect(await read()).toBe(404);
    await hub.moveClock("8 days");
    await endSuspensions(hub.hub);
    expect(await read()).toBe(200);
    await hub.moveClock("0 days");
  });

  it("undo nothing that another case decided", async () => {
    await say(author, room, "Hello.");
    // Opened before the suspension hides the soul and its room.
    const second = await caseOf(mia, { kind: "room", ...room });
    const until = async () => (await author.get("/api/my-souls")).body.until;
    const first = await actOn(mia, person(), "suspend", { days: 7 });
    await act(mia, first, "suspend");
    expect(await until()).toBe(null);
    await act(mia, second, "suspend", { days: 30 });
    expect(await until()).toBe(null);
    await act(mia, first, "restore");
    expect(await until()).toEqual(expect.any(String));
    expect(failureOf(await author.get("/api/my-souls"))).toEqual([403, "account_suspended"]);
    await act(mia, second, "restore");
    expect((await author.get("/api/my-souls")).status).toBe(200);
    expect((await hub.guest().get(`/api/soul/${room.soul_id}`)).status).toBe(200);
    const undone = (await notices()).find((one: { action: string }) => one.action === "suspend");
    expect(failureOf(await appeal(undone.decision_id))).toEqual([400, "invalid_input"]);
  });

  it("of two cases end together, if both are restored at once", async () => {
    const first = await actOn(mia, soul(), "hide_soul");
    await operatorOf(hub).post("/api/admin/hide", { soul_id: room.soul_id });
    const { data } = (await mia.get("/api/mod/cases?state=closed&limit=1")).body;
    const answers = await Promise.all([
      act(mia, first, "restore"),
      act(max, data[0].id, "restore"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await hub.guest().get(`/api/soul/${room.soul_id}`)).status).toBe(200);
  });

  it("of one case are taken back one by one by the operator", async () => {
    const operator = operatorOf(hub);
    const id = await actOn(mia, soul(), "hide_soul");
    await act(mia, id, "suspend");
    const show = { soul_id: room.soul_id, hidden: false };
    expect((await operator.post("/api/admin/hide", show)).status).toBe(200);
    expect((await author.get("/api/my-souls")).status).toBe(403);
    expect((await hub.guest().get(`/api/soul/${room.soul_id}`)).status).toBe(404);
    await act(mia, id, "hide_soul");
    const lift = { username: name, suspended: false };
    expect((await operator.post("/api/admin/suspend", lift)).status).toBe(200);
    expect((await author.get("/api/my-souls")).status).toBe(200);
    expect((await hub.guest().get(`/api/soul/${room.soul_id}`)).status).toBe(404);
  });

  it("silence an account, which reads and does not write", async () => {
    await actOn(mia, person(), "silence", { days: 1 });
    expect(failureOf(await say(author, room, "Hello."))).toEqual([403, "account_suspended"]);
    expect((await author.get("/api/my-souls")).status).toBe(200);
    await hub.moveClock("2 days");
    expect((await say(author, room, "Hello.")).status).toBe(200);
    await hub.moveClock("0 days");
  });

  it("are made by the operator, too, who lifts all of them", async () => {
    const operator = operatorOf(hub);
    await actOn(mia, person(), "suspend");
    const suspension = { username: name, days: 3 };
    expect((await operator.post("/api/admin/suspend", suspension)).status).toBe(200);
    expect((await author.get("/api/my-souls")).status).toBe(403);
    const lift = () => operator.post("/api/admin/suspend", { username: name, suspended: false });
    expect((await lift()).status).toBe(200);
    expect((await author.get("/api/my-souls")).status).toBe(200);
    expect(failureOf(await lift())).toEqual([404, "case_not_found"]);
    expect((await auditOf(hub)).at(-1)).toContain("operator restore account:");
  });

  it("are listed page by page, those that wait oldest first", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push(await caseOf(mia, { kind: "soul", soul_id: (await openRoom(author)).soul_id }));
    }
    const first = await mia.get(`/api/mod/cases?limit=2&cursor=${(ids[0] ?? 0) - 1}`);
    expect(first.body).toMatchObject({ count: 2, next_cursor: ids[1] });
    const second = await mia.get(`/api/mod/cases?limit=2&cursor=${ids[1]}`);
    expect(second.body.data.map((one: { id: number }) => one.id)).toEqual([ids[2]]);
    expect(second.body).not.toHaveProperty("next_cursor");
  });

  it("are read with the history of the account, by staff alone", async () => {
    await actOn(mia, person(), "warn");
    const id = await caseOf(mia, soul());
    expect((await readCase(max, id)).history).toMatchObject([
      { action: "warn", decided_by: "mia" },
    ]);
    const page = await signedIn(hub, `page-${number}`);
    const staffPage = await hub.signIn("max");
    expect((await staffPage.get(`/api/mod/cases/${id}`)).status).toBe(200);
    const crossSite = { "sec-fetch-site": "cross-site" };
    for (const path of ["/api/mod/cases", `/api/mod/cases/${id}/act`]) {
      expect(failureOf(await staffPage.post(path, {}, crossSite))).toEqual([403, "csrf_rejected"]);
    }
    for (const who of [author, page, hub.guest()]) {
      expect(failureOf(await who.get(`/api/mod/cases/${id}`))).toEqual([404, "not_found"]);
    }
  });
});
