import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { readCase, staffOf } from "../staff.fixture.ts";

/** Reports by people who may no longer enter the room (0062). */
describeChat("whom a room keeps out", {}, (hub) => {
  let olga: Actor;
  let ben: Actor;
  let staff: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    olga = await hub.vip("olga");
    ben = await hub.vip("ben");
    staff = await staffOf(hub, "mia");
    room = await openRoom(olga);
  });
  beforeEach(async () => {
    await hub.moveClock("0");
    room = { ...room, session_token: `room-${++rooms}` };
    await say(olga, room, "Come in.");
  });

  const report = (who: Actor, message_id: number) =>
    who.post("/api/reports", { reason: "spam", kind: "message", ...room, message_id });
  const set = async (username: string, state: string, more: object = {}) =>
    expect((await olga.put("/api/room-people", { ...room, username, state, ...more })).status).toBe(
      200,
    );
  const insult = async (content = "You are a toad.") =>
    (await say(olga, room, content)).body.question_id as number;
  const excerptOf = async (answer: Awaited<ReturnType<typeof report>>) => {
    expect(answer.status).toBe(200);
    const { data } = (await staff.get("/api/mod/cases?limit=100")).body;
    const { excerpt } = await readCase(staff, data.at(-1).id);
    return JSON.stringify(excerpt);
  };
  const BANNED = [403, "banned"];

  it("may report what was said to them before, and staff read no more than they did", async () => {
    await say(ben, room, "Good evening.");
    const id = await insult();
    await set("ben", "banned");
    const later = await insult("He never read this.");
    const excerpt = await excerptOf(await report(ben, id));
    expect(excerpt).toContain("You are a toad.");
    expect(excerpt).not.toContain("He never read this.");
    expect(failureOf(await report(ben, later))).toEqual(BANNED);
    expect(failureOf(await history(ben, room))).toEqual(BANNED);
    const whole = { reason: "spam", kind: "room", ...room };
    expect(await excerptOf(await ben.post("/api/reports", whole))).not.toContain("never read");
  });

  it("may do so for 30 days after the ban, however often it is repeated", async () => {
    await say(ben, room, "Good evening.");
    const id = await insult();
    await set("ben", "banned", { minutes: 60 * 24 * 40 });
    await hub.moveClock("29 days");
    expect((await report(ben, id)).status).toBe(200);
    await set("ben", "banned");
    await hub.moveClock("31 days");
    expect(failureOf(await report(ben, id))).toEqual(BANNED);
  });

  it("may report what came after an earlier ban", async () => {
    await say(ben, room, "Good evening.");
    await set("ben", "banned");
    await set("ben", "none");
    const id = await insult();
    await set("ben", "banned");
    expect((await report(ben, id)).status).toBe(200);
  });

  it("are guests who wrote there, but not mere readers", async () => {
    const guest = hub.guest();
    const { question_id } = (await sayOnPage(guest, room, "Good evening.")).body.result.data;
    const id = await insult();
    await sync(ben, room);
    await olga.put("/api/room-people", { ...room, message_id: question_id, state: "banned" });
    await set("ben", "banned");
    expect((await report(guest, id)).status).toBe(200);
    expect(failureOf(await report(ben, id))).toEqual(BANNED);
  });

  it("are former members of a private room", async () => {
    const id = (await say(olga, room, "You are a toad.", { is_private: true })).body.question_id;
    await set("ben", "member");
    await set("ben", "none");
    expect(failureOf(await history(ben, room))).toEqual([403, "private_session"]);
    expect(await excerptOf(await report(ben, id))).toContain("You are a toad.");
    expect(failureOf(await report(await hub.member(`stranger-${rooms}`), id))).toEqual([
      403,
      "private_session",
    ]);
  });

  it("are those whom its owner has blocked", async () => {
    await say(ben, room, "Good evening.");
    const id = await insult();
    const carl = await hub.vip(`carl-${rooms}`);
    for (const username of ["ben", carl.name]) await olga.put("/api/blocks", { username });
    const later = await insult("He never read this.");
    expect((await report(ben, id)).status).toBe(200);
    expect(failureOf(await report(ben, later))).toEqual([403, "blocked"]);
    expect(failureOf(await report(carl, id))).toEqual([403, "blocked"]);
  });
});
