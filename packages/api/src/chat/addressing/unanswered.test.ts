import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { history, remaining, say, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import {
  openSharedRoom,
  removeMessage,
  type SharedRoom,
  soulOf,
  textsOf,
} from "./several-souls.fixture.ts";

/** 0041: with `answers: addressed`, a message that addresses no soul. */
describeChat("messages with nobody to answer", {}, (hub) => {
  let vera: Actor;
  let author: Actor;
  let shared: SharedRoom;
  let seen = 0;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    author = await hub.vip("author");
  });
  beforeEach(async () => {
    shared = await openSharedRoom(vera, author);
    await shared.set({ answers: "addressed" });
    seen = hub.provider.requests.length;
  });
  const ask = (content: string, more: object = {}) => say(vera, shared.room, content, more);
  const calls = () => hub.provider.requests.slice(seen);
  const titles = () => calls().map(soulOf);
  const lines = async () => (await history(vera, shared.room)).body.messages;

  it("store the message alone, at no cost", async () => {
    const left = await remaining(vera);
    const { status, body } = await ask("Only thinking aloud.");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      reply: "",
      sender_name: "Orla",
      answered: false,
      made_by: null,
      reply_id: null,
    });
    expect(body.quota.daily_remaining).toBe(left);
    expect(await remaining(vera)).toBe(left);
    expect(titles()).toEqual([]);
    const stored = (await lines()).at(-1);
    expect(stored).toMatchObject({ id: body.message_id, content: "Only thinking aloud." });
    await ask("@ben, what do I think?");
    expect(textsOf(calls()[0] as SeenRequest)).toContain("[vera] Only thinking aloud.");
  });

  it("reach live listeners and pollers", async () => {
    await using watcher = joinAs(hub, author, shared.room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const { message_id } = (await ask("Anyone?")).body;
    await eventually(() => expect(watcher.ids.at(-1)).toBe(message_id));
    expect(watcher.types).not.toContain("asked");
    const { body } = await sync(vera, shared.room, { last_id: message_id - 1 });
    expect(body.new_messages).toMatchObject([{ id: message_id, content: "Anyone?" }]);
  });

  it("move the path to a message under an earlier one", async () => {
    const [, greeting] = await lines();
    await ask("Left.");
    const { body } = await ask("Right.", { parent_id: greeting.id });
    const { messages } = (await history(vera, shared.room, { path: "active" })).body;
    expect(messages.at(-1)).toMatchObject({ id: body.message_id, parent_id: greeting.id });
    expect(messages).toHaveLength(3);
  });

  it("answer a repeated Idempotency-Key alike, also after a removal", async () => {
    const key = { "idempotency-key": "unanswered" };
    const send = () => vera.post("/api/chat", { ...shared.room, content: "Once." }, key);
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    const { message_id: id } = first.body;
    expect((await removeMessage(vera, shared.room, id)).status).toBe(200);
    expect((await send()).body).toMatchObject({ reply: "", answered: false, removed: true });
  });
});
