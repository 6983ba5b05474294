import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  startChatHub,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";

/** 0041: messages without a reply, which no soul reads if they are off the record. */
describeChat("POST /api/say", {}, (hub) => {
  let vera: Actor;
  let ben: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    ben = await hub.vip("ben");
    const { soul_id } = await openRoom(vera);
    room = { soul_id, session_token: "" };
  });
  beforeEach(() => {
    room = { ...room, session_token: `room-${++rooms}` };
  });
  const tell = (actor: Actor, content: string, more: object = {}) =>
    actor.post("/api/say", { ...room, content, ...more });
  const lastPrompt = () => JSON.stringify(hub.provider.requests.at(-1)?.body);

  it("is off the record by default: people read the message, the souls never do", async () => {
    await say(vera, room, "Hello.");
    await using watcher = joinAs(hub, vera, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const left = await remaining(ben);
    const { status, body } = await tell(ben, "Between you and me.");
    expect([status, body]).toEqual([200, { success: true, message_id: expect.any(Number) }]);
    expect(await remaining(ben)).toBe(left);
    const line = {
      id: body.message_id,
      content: "Between you and me.",
      sender_name: "ben",
      audience: "people",
    };
    await eventually(() => expect(watcher.of("message").at(-1)).toMatchObject(line));
    expect((await history(vera, room)).body.messages.at(-1)).toMatchObject(line);
    const { new_messages } = (await sync(vera, room, { last_id: body.message_id - 1 })).body;
    expect(new_messages).toMatchObject([line]);
    await say(vera, room, "What did Ben say?");
    expect(lastPrompt()).not.toContain("Between you and me.");
    const { messages } = (await history(vera, room)).body;
    expect(messages.map(({ parent_id }: { parent_id: number }) => parent_id)).toEqual([
      null,
      ...messages.slice(0, -1).map(({ id }: { id: number }) => id),
    ]);
  });

  it("calls no model; on the record, the souls read the message with the next question", async () => {
    await say(vera, room, "Hello.");
    const calls = hub.provider.requests.length;
    await tell(ben, "@orla, I am Ben.", { off_record: false });
    expect(hub.provider.requests).toHaveLength(calls);
    const line = (await history(vera, room)).body.messages.at(-1);
    expect(line).not.toHaveProperty("audience");
    await say(vera, room, "Who is there?");
    expect(lastPrompt()).toContain("[ben] @orla, I am Ben.");
  });

  it("takes no place among the messages that a soul remembers", async () => {
    await say(vera, room, "The lamp is red.");
    for (let n = 0; n < 25; n++) await tell(ben, `Aside ${n}.`);
    await say(vera, room, "Which colour?");
    expect(lastPrompt()).toContain("The lamp is red.");
    expect(lastPrompt()).not.toContain("Aside");
  });

  it("makes the sender of a room's first message its owner", async () => {
    await tell(ben, "First!");
    const mine = async (actor: Actor) => (await sync(actor, room)).body.you.is_owner;
    expect([await mine(ben), await mine(vera)]).toEqual([true, false]);
    const { body } = await ben.put("/api/room", { ...room, answers: "addressed" });
    // No one but the people of the room reads the message, so it gives the room no title.
    expect(body.room).toMatchObject({ title: "", answers: "addressed" });
    await say(vera, room, "@orla?");
    expect(lastPrompt()).not.toContain("First!");
  });

  it("is for guests of the page, too", async () => {
    const guest = hub.guest();
    const { status } = await guest.post("/trpc/chat.say", { ...room, content: "Hello?" });
    expect(status).toBe(200);
    expect((await sync(guest, room)).body.you.is_owner).toBe(true);
    const long = { ...room, content: "x".repeat(1_001) };
    expect(failureOf(await guest.post("/trpc/chat.say", long))).toEqual([400, "input_too_long"]);
  });

  it("answers a repeated Idempotency-Key once", async () => {
    const key = { "idempotency-key": "said" };
    const send = () => vera.post("/api/say", { ...room, content: "Once." }, key);
    const { body } = await send();
    expect((await send()).body).toEqual(body);
    expect((await history(vera, room)).body.messages).toHaveLength(1);
  });

  it("cannot be answered by a soul, but can be continued", async () => {
    await say(vera, room, "Hello.");
    const { message_id } = (await tell(vera, "Psst.")).body;
    const again = await say(vera, room, "", { regenerate: message_id });
    expect(failureOf(again)).toEqual([404, "message_not_found"]);
    expect((await say(vera, room, "Go on.", { parent_id: message_id })).status).toBe(200);
    expect(lastPrompt()).not.toContain("Psst.");
  });

  it("does not keep its sender from regenerating a question, but keeps others", async () => {
    await say(vera, room, "Hello.");
    const { question_id: regenerate } = (await say(ben, room, "Is it dark?")).body;
    for (let n = 0; n < 25; n++) await tell(ben, `I wonder ${n}.`);
    expect((await say(ben, room, "", { regenerate })).status).toBe(200);
    await tell(vera, "Me too.");
    const late = await say(ben, room, "", { regenerate });
    expect(failureOf(late)).toEqual([403, "not_owner"]);
  });

  it("keeps the summary if such a message is edited or removed", async () => {
    await say(vera, room, "Hello.");
    const { message_id: id } = (await tell(vera, "Psst.")).body;
    await say(vera, room, "Go on.");
    await vera.put("/api/my-chats", { ...room, summary: "They said hello." });
    await vera.put("/api/message", { ...room, id, content: "Psst!" });
    const query = new URLSearchParams({
      soul_id: String(room.soul_id),
      session_token: room.session_token,
    });
    await vera.delete(`/api/message?${query}&id=${id}`);
    const { data } = (await vera.get(`/api/room-summary?${query}`)).body;
    expect(data.current).toMatchObject({ text: "They said hello." });
  });
});

describe("POST /api/say with rate limits", () => {
  it("takes 20 messages a minute of each participant", async () => {
    await using hub = await startChatHub({ config: { rateLimits: true } });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    const tell = (actor: Actor) => actor.post("/api/say", { ...room, content: "Psst." });
    for (let n = 0; n < 20; n++) expect((await tell(vera)).status).toBe(200);
    const late = await tell(vera);
    expect(failureOf(late)).toEqual([429, "rate_limited"]);
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await tell(await hub.vip("ben"))).status).toBe(200);
    expect((await say(vera, room, "Hello.")).status).toBe(200);
  });

  it("counts the messages of guests without a cookie together", async () => {
    await using hub = await startChatHub({ config: { rateLimits: true } });
    const room = await openRoom(await hub.vip("vera"));
    const tell = () => hub.guest().post("/trpc/chat.say", { ...room, content: "Psst." });
    for (let n = 0; n < 20; n++) expect((await tell()).status).toBe(200);
    expect(failureOf(await tell())).toEqual([429, "rate_limited"]);
  });

  it("counts their questions to which no soul replies together, too", async () => {
    await using hub = await startChatHub({ config: { rateLimits: true } });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    await say(vera, room, "Hello.");
    await vera.put("/api/room", { ...room, answers: "addressed" });
    const ask = () => sayOnPage(hub.guest(), room, "Hm.");
    for (let n = 0; n < 20; n++) expect((await ask()).status).toBe(200);
    expect(failureOf(await ask())).toEqual([429, "rate_limited"]);
  });

  it("counts a question to which no soul replies as such a message", async () => {
    await using hub = await startChatHub({ config: { rateLimits: true } });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    expect((await say(vera, room, "Hello.")).status).toBe(200);
    await vera.put("/api/room", { ...room, answers: "addressed" });
    for (let n = 0; n < 20; n++) expect((await say(vera, room, "Hm.")).status).toBe(200);
    expect(failureOf(await say(vera, room, "Hm."))).toEqual([429, "rate_limited"]);
    expect((await say(vera, room, "Orla?", { to: [room.soul_id] })).status).toBe(200);
  });
});
