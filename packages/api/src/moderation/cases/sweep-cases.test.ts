import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { sweepEvidence } from "../evidence/evidence.queries.ts";
import { act, actOn, caseOf, readCase, staffOf } from "../staff.fixture.ts";
import { sweepCases } from "./sweep-cases.ts";

/** RETAIN_REPORTS (0062). */
describeChat("retention of cases", { config: { retainReportsDays: 0 } }, (hub) => {
  let author: Actor;
  let reporter: Actor;
  let staff: Actor;
  let room: RoomName;
  let number = 0;

  beforeAll(async () => {
    staff = await staffOf(hub, "mia");
  });
  beforeEach(async () => {
    await hub.moveClock("0 days");
    author = await hub.vip(`author-${++number}`);
    reporter = await hub.member(`reporter-${number}`);
    room = await openRoom(author);
  });

  const soul = () => ({ kind: "soul", soul_id: room.soul_id });
  const person = () => ({ kind: "person", username: author.name });
  const db = () => hub.hub.database.db;
  const sweepAfter = async (days: number, retained = 180) => {
    await hub.moveClock(`${days} days`);
    await sweepEvidence(db());
    await sweepCases(db(), retained);
  };
  /** Reads the stored rows of a case: the numbers of reports and texts, and the actions. */
  const stored = async (id: number) => {
    const { rows } = await sql<{ reports: number; texts: number; actions: string[] }>`
      select (select count(*)::int from mod_reports where case_id = mod_cases.id) as reports,
        (select count(*)::int from mod_evidence where case_id = mod_cases.id) as texts,
        array(select action from mod_decisions
          where case_id = mod_cases.id order by mod_decisions.id) as actions
      from mod_cases where id = ${id}`.execute(db());
    return rows[0] && [rows[0].reports, rows[0].texts, rows[0].actions];
  };
  const report = async () => {
    await reporter.post("/api/reports", { ...soul(), reason: "spam", note: "It repeats itself." });
    return caseOf(staff, soul());
  };
  const notices = async () => (await author.get("/api/notices")).body.data;

  it("deletes a decided case whole, so many days after its last decision", async () => {
    const id = await report();
    await act(staff, id, "warn");
    await hub.moveClock("100 days");
    await act(staff, id, "dismiss");
    await sweepAfter(279);
    await sweepAfter(400, 0);
    expect(await stored(id)).toEqual([1, expect.any(Number), ["warn", "dismiss"]]);
    await sweepAfter(281);
    expect(await stored(id)).toBeUndefined();
    expect(await notices()).toEqual([]);
    expect((await reporter.get("/api/reports")).body.data).toEqual([]);
  });

  it("keeps cases that wait for a decision, and those whose time for an appeal is not over", async () => {
    const open = await report();
    const decided = await actOn(staff, person(), "warn");
    await sweepAfter(29, 1);
    expect(await stored(decided)).toEqual([0, 1, ["warn"]]);
    const [{ decision_id }] = await notices();
    const appeal = { decision_id, text: "It is mine." };
    expect((await author.post("/api/appeals", appeal)).status).toBe(200);
    await sweepAfter(900);
    expect(await stored(decided)).toEqual([0, 1, ["warn"]]);
    expect(await stored(open)).toEqual([1, expect.any(Number), []]);
  });

  it("keeps what hides a soul, and nothing else of its case, until the soul is shown", async () => {
    const id = await report();
    await act(staff, id, "warn");
    await act(staff, id, "hide_soul");
    await sweepAfter(181);
    expect(await stored(id)).toEqual([0, 0, ["hide_soul"]]);
    const { moderation } = (await author.get(`/api/soul/${room.soul_id}`)).body.data;
    expect(moderation).toMatchObject({ state: "hidden", reason: "private_data" });
    expect(await notices()).toMatchObject([{ action: "hide_soul" }]);

    expect((await act(staff, id, "restore")).status).toBe(200);
    expect((await hub.guest().get(`/api/soul/${room.soul_id}`)).status).toBe(200);
    await sweepAfter(362);
    expect(await stored(id)).toBeUndefined();
  });

  it("forgets what hid a soul with the soul", async () => {
    const id = await actOn(staff, soul(), "hide_soul");
    expect((await author.delete(`/api/soul/${room.soul_id}`)).status).toBe(200);
    await sweepAfter(181);
    expect(await stored(id)).toBeUndefined();
  });

  it("keeps a removal as long as the message is removed, and forgets it with the room", async () => {
    const { question_id } = (await say(author, room, "My address is Elm Street 1.")).body;
    const message = { kind: "message", ...room, message_id: question_id };
    const id = await actOn(staff, message, "remove_message");
    await sweepAfter(181);
    expect(await stored(id)).toEqual([0, 0, ["remove_message"]]);
    expect((await readCase(staff, id)).decisions).toHaveLength(1);
    await author.delete(`/api/soul/${room.soul_id}`);
    await sweepCases(db(), 180);
    expect(await stored(id)).toBeUndefined();
  });

  it("keeps the restrictions of an account until they end", async () => {
    const suspended = await actOn(staff, person(), "suspend", { days: 300 });
    await act(staff, suspended, "silence", { days: 300 });
    await sweepAfter(181);
    expect(await stored(suspended)).toEqual([0, 0, ["suspend", "silence"]]);
    expect(await notices()).toHaveLength(2);
    await sweepAfter(301);
    expect(await stored(suspended)).toBeUndefined();
  });
});
