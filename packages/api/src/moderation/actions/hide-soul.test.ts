import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, history, openRoom, type RoomName, say, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { act, actOn, operatorOf, staffOf } from "../staff.fixture.ts";

/** The responses of a hidden soul on every transport (0062). */
describeChat("a hidden soul", {}, (hub) => {
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
    room = await openRoom(author, { title: "Chess with Orla" });
    await say(ben, room, "Hello.");
    await ben.post("/api/like", { soul_id: room.soul_id });
  });

  const hide = (more: object = {}) =>
    actOn(staff, { kind: "soul", soul_id: room.soul_id }, "hide_soul", more);
  const read = (who: Actor) => who.get(`/api/soul/${room.soul_id}`);

  /** Everything that others read of souls, on each transport. */
  async function everything(who: Actor): Promise<string> {
    const { soul_id } = room;
    const input = (value: object) => encodeURIComponent(JSON.stringify(value));
    const answers = await Promise.all([
      read(who),
      who.get("/api/souls?limit=100"),
      who.get("/api/souls?q=chess%20orla&limit=100"),
      who.get("/api/profile?username=author"),
      who.get("/api/apps?slug=chess-lesson"),
      who.get(`/api/versions?soul_id=${soul_id}`),
      who.get(`/trpc/souls.read?input=${input({ id: soul_id })}`),
      who.get(`/trpc/souls.list?input=${input({ limit: 100 })}`),
      history(who, room),
      sync(who, room),
    ]);
    return answers.map(({ text }) => text).join("\n");
  }

  it("is gone for others at once, and back after a restore", async () => {
    await using visitor = joinAs(hub, ben, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const { soul_id, session_token } = room;
    const input = encodeURIComponent(JSON.stringify({ soul_id, session_token }));
    const stream = () =>
      ben.get(`/trpc/rooms.live?input=${input}`, { accept: "text/event-stream" });
    const { sessions } = hub.hub.rooms.counts();
    const listening = stream();
    await eventually(() => expect(hub.hub.rooms.counts().sessions).toBe(sessions + 1));
    const { head } = (await sync(ben, room)).body;
    const waiting = sync(ben, room, { last_id: head, wait: 25 });
    const id = await hide();
    expect(failureOf(await waiting)).toEqual([404, "soul_not_found"]);
    await eventually(() => expect(visitor.endedBy).toBe("soul_not_found"));
    for (const heard of [await listening, await stream()]) {
      expect(heard.text).toContain('"error":"soul_not_found"');
    }
    for (const who of [ben, hub.guest(), staff]) {
      expect(await everything(who)).not.toContain("Orla");
    }
    expect(failureOf(await say(ben, room, "Still there?"))).toEqual([404, "soul_not_found"]);

    expect((await act(staff, id, "restore")).status).toBe(200);
    expect((await read(ben)).body.data).toMatchObject({ title: "Chess with Orla", like_count: 1 });
    expect((await hub.guest().get("/api/souls?limit=100")).text).toContain("Orla");
    expect((await say(ben, room, "Still there?")).status).toBe(200);
  });

  it("tells its author why, who may edit but not publish it", async () => {
    await hide();
    const { data } = (await read(author)).body;
    expect(data).toMatchObject({
      is_public: 0,
      moderation: {
        state: "hidden",
        reason: "private_data",
        message: "Please take the address out.",
        decision_id: expect.any(Number),
        appeal_until: expect.stringMatching(/^\d{4}-/),
      },
    });
    await author.put(`/api/soul/${room.soul_id}`, { content: "No address.", is_public: 1 });
    expect((await read(author)).body.data.content).toBe("No address.");
    expect((await read(ben)).status).toBe(404);
    const own = await openRoom(author, { is_public: 0 });
    const unmoderated = await author.get(`/api/soul/${own.soul_id}`);
    expect(unmoderated.body.data).not.toHaveProperty("moderation");
  });

  it("answers a conditional read with 404, not with 304", async () => {
    const guest = hub.guest();
    const etag = (await read(guest)).headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    await hide();
    const headers = { "if-none-match": etag };
    expect((await guest.get(`/api/soul/${room.soul_id}`, headers)).status).toBe(404);
  });

  it("is hidden and shown again by the operator", async () => {
    const operator = operatorOf(hub);
    const soul = { soul_id: room.soul_id };
    await hide();
    expect((await operator.post("/api/admin/hide", soul)).body.message).toContain("hidden");
    expect((await read(ben)).status).toBe(404);
    await operator.post("/api/admin/hide", { ...soul, hidden: false });
    expect((await read(ben)).status).toBe(200);
    const again = await operator.post("/api/admin/hide", { ...soul, hidden: false });
    expect(failureOf(again)).toEqual([404, "case_not_found"]);
  });
});
