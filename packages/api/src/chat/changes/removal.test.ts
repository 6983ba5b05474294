import { beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { history, openRoom, type RoomName, say, signedIn, sync } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { everyText } from "../../testing/every-text.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { testDatabases } from "../../testing/test-database.ts";

/** Each test has a secret of its own. */
const anySecret = /key \d+ is under the mat/;
const isFold = ({ model }: SeenRequest) => model === "summary-model";
/** Delays every summary run until it resolves. */
let gate: Promise<void> | undefined;
const options = {
  databases: testDatabases(),
  routes: { summary: "openai-compatible:summary-model" },
  provider: {
    // A reply repeats a secret of its question, and a summary one of its whole prompt.
    reply: async function* (request: SeenRequest) {
      if (isFold(request)) await gate;
      const read = isFold(request) ? request.messages : request.messages.at(-1);
      const [told] = anySecret.exec(JSON.stringify(read)) ?? [];
      yield told ? `They know that the ${told}.` : "They know nothing.";
    },
  },
};

describeChat("the text of a removed message", options, (hub) => {
  let vera: Actor;
  let room: RoomName;
  let secret: string;
  let names = 0;

  beforeEach(async () => {
    gate = undefined;
    vera = await hub.vip(`vera-${++names}`);
    secret = `key ${names} is under the mat`;
    room = await openRoom(vera);
  });

  const edit = (id: number, content: string) => vera.put("/api/message", { ...room, id, content });
  const remove = (id: number) =>
    vera.delete(`/api/message?soul_id=${room.soul_id}&session_token=lobby&id=${id}`);
  // The answer is stored with the key.
  const once = { "idempotency-key": "once" };
  const tell = async () =>
    (await vera.post("/api/chat", { ...room, content: `Psst, the ${secret}.` }, once)).body;
  const chat = async (exchanges: number) => {
    for (let n = 0; n < exchanges; n++) await say(vera, room, `Line ${n}.`);
  };
  const row = () =>
    hub.hub.database.db
      .selectFrom("chat_rooms")
      .select(["summary", "summarised_to", "folding_until"])
      .where("soul_id", "=", room.soul_id)
      .executeTakeFirstOrThrow();
  const textsWithSecret = async () =>
    (await everyText(hub.hub.database)).filter(({ text }) => text.includes(secret));

  it("is in no answer, and in no table", async () => {
    const page = await signedIn(hub, `page-${names}`);
    const before = joinAs(hub, vera, room);
    await eventually(() => expect(before.types).toContain("sync"));
    const { question_id, message_id } = await tell();
    await eventually(() => expect(before.ids).toEqual([question_id, message_id]));
    await say(vera, room, "Goodbye.");
    const { share_id } = (await vera.post("/api/shares", { ...room, names: true })).body;
    const shared = await hub.guest().get(`/api/share/${share_id}`);
    expect(shared.text).toContain(secret);
    const etag = shared.headers.get("etag") ?? "";
    for (const id of [question_id, message_id]) expect((await remove(id)).status).toBe(200);
    await eventually(() => expect(before.of("changed")).toHaveLength(2));
    await before.close();

    const after = joinAs(hub, vera, room);
    const resumed = joinAs(hub, vera, { ...room, last_id: question_id - 1 });
    await eventually(() => {
      for (const { types } of [after, resumed]) expect(types).toContain("sync");
    });
    const name = `soul_id=${room.soul_id}&session_token=lobby`;
    const input = encodeURIComponent(JSON.stringify(room));
    const answers = [
      await history(vera, room),
      await history(vera, room, { path: "active" }),
      await sync(vera, room),
      await sync(vera, room, { last_id: 0 }),
      await sync(hub.guest(), room, { last_id: message_id, revision: 0 }),
      await page.get(`/trpc/chat.history?input=${input}`),
      await vera.get(`/api/room?${name}`),
      await vera.get("/api/my-chats"),
      await vera.get(`/api/chat-export?${name}&format=md`),
      await vera.get(`/api/chat-export?${name}&format=json`),
      await hub.guest().get(`/api/share/${share_id}`),
      await hub.guest().get(`/api/share/${share_id}`, { "if-none-match": etag }),
      await vera.get(`/api/chat-search?q=${encodeURIComponent(secret)}`),
      await vera.post("/api/room-copy", { ...room, new_session_token: "copy" }),
      await history(vera, { ...room, session_token: "copy" }),
    ];
    const seen = JSON.stringify([answers.map(({ text }) => text), after.events, resumed.events]);
    expect(seen).toContain("[removed]");
    expect(seen).not.toContain(secret);
    await Promise.all([after.close(), resumed.close()]);
    expect(await textsWithSecret()).toEqual([]);
  });

  it("is in no prompt, and in no summary that is written later", async () => {
    const { question_id, message_id } = await tell();
    await remove(question_id);
    await remove(message_id);
    const before = hub.provider.requests.length;
    await chat(16);
    await eventually(async () => expect((await row()).summary).toBe("They know nothing."));
    expect(JSON.stringify(hub.provider.requests.slice(before))).not.toContain(secret);
    expect(await textsWithSecret()).toEqual([]);
  });

  it("leaves the summary that covers it, and every version of it", async () => {
    const { question_id, message_id } = await tell();
    await chat(15);
    await eventually(async () => expect((await row()).summary).toContain(secret));
    await remove(message_id);
    expect((await row()).summary).toBeNull();
    await remove(question_id);
    expect(await textsWithSecret()).toEqual([]);
    expect((await vera.post("/api/room-summary", { ...room, version: 1 })).status).toBe(404);
    await chat(1);
    await eventually(async () => expect((await row()).summary).toBe("They know nothing."));
  });

  it("does not return with a rollback of the summary at the same time", async () => {
    const { question_id, message_id } = await tell();
    await chat(15);
    await eventually(async () => expect((await row()).summary).toContain(secret));
    const restore = () => vera.post("/api/room-summary", { ...room, version: 1 });
    await Promise.all([restore(), remove(question_id), restore(), remove(message_id), restore()]);
    expect(await textsWithSecret()).toEqual([]);
  });

  it("stays out of the summary that a running fold writes", async () => {
    const open = Promise.withResolvers<void>();
    gate = open.promise;
    const { question_id, message_id } = await tell();
    await chat(15);
    await eventually(() => expect(hub.provider.requests.filter(isFold).length).toBeGreaterThan(0));
    await remove(question_id);
    await remove(message_id);
    open.resolve();
    await eventually(async () => expect((await row()).folding_until).toBeNull());
    await hub.hub.modelCalls.idle();
    expect(await textsWithSecret()).toEqual([]);
    expect(await row()).toMatchObject({ summary: null, summarised_to: 0 });
  });

  it("is forgotten by the summary after an edit, too", async () => {
    const { question_id, message_id } = await tell();
    await chat(15);
    await eventually(async () => expect((await row()).summary).toContain(secret));
    await edit(question_id, "Psst.");
    await edit(message_id, "What?");
    expect((await row()).summary).toBeNull();
    const before = hub.provider.requests.length;
    // Neither a regeneration nor a move of the path brings the former summary back.
    const { body } = await sync(vera, room, { last_id: 0 });
    const last = body.new_messages.at(-2).id;
    await vera.post("/api/chat", { ...room, content: "", regenerate: last });
    for (const active_id of [last, null]) await vera.put("/api/room", { ...room, active_id });
    expect((await row()).summary ?? "").not.toContain(secret);
    await chat(1);
    await eventually(async () => expect((await row()).summary).toBe("They know nothing."));
    expect(JSON.stringify(hub.provider.requests.slice(before))).not.toContain(secret);
  });

  describe("does not concern a summary that does not cover it", () => {
    it("which stays as it is", async () => {
      await chat(16);
      await eventually(async () => expect((await row()).summary).toBe("They know nothing."));
      const { summary, summarised_to } = await row();
      const { question_id } = await tell();
      await remove(question_id);
      expect(await row()).toMatchObject({ summary, summarised_to });
    });

    it.each(["removed", "edited"])(
      "because it was reset after the message, which is then %s",
      async (change) => {
        await chat(16);
        await eventually(async () => expect((await row()).summary).toBe("They know nothing."));
        const { question_id } = await tell();
        expect((await vera.put("/api/my-chats", { ...room, summary: null })).status).toBe(200);
        const { summarised_to } = await row();
        await chat(16);
        await eventually(async () => expect((await row()).summary).toBe("They know nothing."));
        await (change === "removed" ? remove(question_id) : edit(question_id, "Psst."));
        // No message from before the reset is summarised again.
        expect(await row()).toMatchObject({ summary: null, summarised_to });
      },
    );

    it("because the message is on an abandoned branch", async () => {
      const { message_id: root } = (await say(vera, room, "Hello.")).body;
      const abandoned = await tell();
      await say(vera, room, "Hello again.", { parent_id: root });
      await chat(15);
      await eventually(async () => expect((await row()).summary).toBe("They know nothing."));
      const { summary, summarised_to } = await row();
      await edit(abandoned.question_id, "Psst.");
      await remove(abandoned.message_id);
      expect(await row()).toMatchObject({ summary, summarised_to });
      // The version in the history stays, too.
      expect((await say(vera, room, "And now?")).body.made_by.summary_version).toBe(1);
      expect(await textsWithSecret()).toEqual([]);
    });
  });
});
