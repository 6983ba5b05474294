import { sql } from "kysely";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { roomRow } from "../../chat/tree/tree.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, history, say, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { sweepEvidence } from "../evidence/evidence.queries.ts";
import { act, actOn, caseOf, operatorOf, readCase, staffOf } from "../staff.fixture.ts";

const SECRET = "555 0100";

const provider = {
  reply: async function* () {
    yield "Go on.";
  },
};

/** Messages that staff remove, and restore (0062). */
describeRoom("a message removed by staff", { owner: "olga", provider }, (hub, owner, room) => {
  let ben: Actor;
  let staff: Actor;
  let id: number;

  beforeAll(async () => {
    ben = await hub.vip("ben");
    staff = await staffOf(hub, "mia");
  });
  beforeEach(async () => {
    await say(owner, room, "Hello.");
    id = (await say(ben, room, `Call ${SECRET}.`)).body.question_id;
    await owner.put("/api/reaction", { ...room, id, emoji: "👍", on: true });
  });

  const query = (more: Record<string, string> = {}) =>
    new URLSearchParams({ ...room, soul_id: String(room.soul_id), ...more });
  const message = () => ({ kind: "message", ...room, message_id: id });
  const remove = () => actOn(staff, message(), "remove_message");
  const line = async (who = owner) => {
    const { messages } = (await history(who, room)).body;
    return messages.find((one: { id: number }) => one.id === id);
  };
  const everything = async () => {
    const answers = [
      await history(ben, room),
      await sync(ben, room),
      await sync(ben, room, { last_id: 0, revision: 0 }),
      await owner.get("/api/my-chats"),
      await owner.get(`/api/chat-search?q=${encodeURIComponent(SECRET)}`),
      await owner.get(`/api/chat-export?${query({ format: "json" })}`),
      await owner.get(`/api/chat-export?${query({ format: "md" })}`),
      await owner.get(`/api/room-summary?${query()}`),
      await owner.get(`/trpc/chat.history?input=${encodeURIComponent(JSON.stringify(room))}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return answers.map(({ text }) => text).join("\n");
  };

  /** Stores a summary of all messages so far, as a fold does. */
  const summarise = async (text: string) => {
    const { db } = hub.hub.database;
    const { id: room_id, head_id } = await roomRow(hub, room);
    const stored = { room_id, version: 1, text, covers_to: head_id, made_by: "fold" };
    await db.insertInto("room_summaries").values(stored).execute();
    const present = { summary: text, summarised_to: head_id };
    await db.updateTable("chat_rooms").set(present).where("id", "=", room_id).execute();
  };

  it("is gone from every reader and from the prompt, and the log keeps its place", async () => {
    const before = await line();
    expect(before).toMatchObject({ content: `Call ${SECRET}.`, reactions: [{ emoji: "👍" }] });
    await summarise(`ben's number is ${SECRET}`);
    const { share_id } = (await owner.post("/api/shares", room)).body;
    await using visitor = joinAs(hub, ben, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    expect(await everything()).toContain(SECRET);
    const revision = (await sync(ben, room)).body.revision;

    const caseId = await remove();
    const removed = { id, content: "[removed]", removed: true, removed_by: "moderator" };
    await eventually(() =>
      expect(visitor.of("changed").at(-1)).toMatchObject({
        prev_revision: revision,
        revision: revision + 1,
        messages: [removed],
      }),
    );
    const { changes } = (await sync(ben, room, { last_id: 0, revision })).body;
    expect(changes).toMatchObject([removed]);
    expect(await line()).not.toHaveProperty("reactions");
    expect(await everything()).not.toContain(SECRET);
    expect((await hub.guest().get(`/api/share/${share_id}`)).text).not.toContain(SECRET);
    await say(owner, room, "What did I miss?");
    expect(JSON.stringify(hub.provider.requests.at(-1))).not.toContain(SECRET);

    expect((await act(staff, caseId, "restore")).status).toBe(200);
    await eventually(() =>
      expect(visitor.of("changed").at(-1)?.messages).toMatchObject([{ content: before.content }]),
    );
    const { revision: _, ...restored } = await line();
    const { revision: __, ...original } = before;
    expect(restored).toEqual(original);
    expect((await owner.get(`/api/room-summary?${query()}`)).body.data.current.text).toBe(
      `ben's number is ${SECRET}`,
    );
    await say(owner, room, "And now?");
    expect(JSON.stringify(hub.provider.requests.at(-1))).toContain(SECRET);
    const { messages } = (await history(ben, room)).body;
    expect(messages).toHaveLength(8);
  });

  it("keeps summaries that were made meanwhile, without the message", async () => {
    await summarise(`ben's number is ${SECRET}`);
    const caseId = await remove();
    await owner.put("/api/my-chats", { ...room, summary: "They said hello." });
    await act(staff, caseId, "restore");
    expect((await line()).content).toContain(SECRET);
    const { current } = (await owner.get(`/api/room-summary?${query()}`)).body.data;
    expect(current.text).toBe("They said hello.");
  });

  it("brings back no summary that repeats what another author has deleted meanwhile", async () => {
    const { question_id } = (await say(owner, room, "My word is orchid.")).body;
    await summarise(`ben's number is ${SECRET}, olga's word is orchid`);
    const caseId = await remove();
    await owner.delete(`/api/message?${query({ id: String(question_id) })}`);
    await act(staff, caseId, "restore");
    expect((await line()).content).toContain(SECRET);
    expect(await everything()).not.toContain("orchid");
    await say(owner, room, "And now?");
    expect(JSON.stringify(hub.provider.requests.at(-1))).not.toContain("orchid");
  });

  it("cannot be removed twice, and its author's removal stays without staff", async () => {
    const caseId = await remove();
    expect(failureOf(await act(staff, caseId, "remove_message"))).toEqual([
      404,
      "message_not_found",
    ]);
    expect(failureOf(await staff.post("/api/mod/cases", message()))).toEqual([
      404,
      "message_not_found",
    ]);
    const { question_id } = (await say(ben, room, "Never mind.")).body;
    await ben.delete(`/api/message?${query({ id: String(question_id) })}`);
    const { messages } = (await history(owner, room)).body;
    const own = messages.find((one: { id: number }) => one.id === question_id);
    expect(own).toMatchObject({ removed: true });
    expect(own).not.toHaveProperty("removed_by");
  });

  it("leaves its sealed text 30 days after the decision, and then stays removed", async () => {
    const caseId = await remove();
    const { db } = hub.hub.database;
    const sealed = async () =>
      (await db.selectFrom("mod_evidence").select("sealed").where("case_id", "=", caseId).execute())
        .length;
    expect(await sealed()).toBe(2);
    const { rows } = await sql`select * from mod_evidence`.execute(db);
    expect(JSON.stringify(rows)).not.toContain(SECRET);
    const rotated = await operatorOf(hub).post("/api/admin/rotate-keys", {});
    expect(rotated.body.unreadable.evidence).toBe(0);
    await hub.moveClock("31 days");

    await sweepEvidence(db);
    expect(await sealed()).toBe(0);
    expect((await readCase(staff, caseId)).excerpt).toBe(null);
    expect(failureOf(await act(staff, caseId, "restore"))).toEqual([404, "message_not_found"]);
    await hub.moveClock("0 days");
    expect((await line()).content).toBe("[removed]");
  });

  it("stays removed without its sealed text, and the rest of its case is restored", async () => {
    const caseId = await remove();
    await act(staff, caseId, "silence", { days: 365 });
    await hub.moveClock("31 days");
    await sweepEvidence(hub.hub.database.db);
    await hub.moveClock("0 days");
    expect(failureOf(await say(ben, room, "Hello?"))).toEqual([403, "account_suspended"]);
    expect((await act(staff, caseId, "restore")).status).toBe(200);
    expect((await say(ben, room, "Back.")).status).toBe(200);
    expect((await line()).content).toBe("[removed]");
    const { decisions } = await readCase(staff, caseId);
    expect(decisions).toMatchObject([
      { action: "restore" },
      { action: "silence", undone_at: expect.any(String) },
      { action: "remove_message", undone_at: null },
    ]);
    expect(failureOf(await act(staff, caseId, "restore"))).toEqual([404, "message_not_found"]);
  });

  it("closes a room to all but its owner", async () => {
    await using visitor = joinAs(hub, ben, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const { share_id } = (await owner.post("/api/shares", room)).body;
    const ofMessage = await caseOf(staff, message());
    expect(failureOf(await act(staff, ofMessage, "close_room"))).toEqual([400, "invalid_input"]);
    const caseId = await actOn(staff, { kind: "room", ...room }, "close_room");
    await eventually(() => expect(visitor.endedBy).toBe("private_session"));
    for (const answer of [
      await history(ben, room),
      await sync(hub.guest(), room),
      await say(ben, room, "Hello?"),
      await ben.get(`/api/room?${query()}`),
    ]) {
      expect(failureOf(answer)).toEqual([403, "private_session"]);
    }
    const chats = (await ben.get("/api/my-chats")).body.sessions;
    const souls = chats.map(({ soul_id }: { soul_id: number }) => soul_id);
    expect(souls).not.toContain(room.soul_id);
    expect(failureOf(await hub.guest().get(`/api/share/${share_id}`))).toEqual([
      404,
      "share_not_found",
    ]);
    expect((await say(owner, room, "Alone.")).status).toBe(200);
    await act(staff, caseId, "restore");
    expect((await say(ben, room, "Back.")).status).toBe(200);
    expect((await hub.guest().get(`/api/share/${share_id}`)).status).toBe(200);
  });
});
