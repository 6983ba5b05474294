import { describe, expect, inject, it } from "vitest";
import { history, openRoom, say, sayOnPage, startChatHub, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { startTwoServers } from "../../testing/two-servers.ts";

const options = {
  routes: { summary: "openai-compatible:summary-model" },
  provider: {
    reply: ({ model }: SeenRequest) => (model === "summary-model" ? "They talked." : "Go on."),
  },
};

/** 0038: each reply names what made it. */
describeRoom("made_by", options, (hub, vera, room) => {
  const put = (fields: object) => vera.put(`/api/soul/${room.soul_id}`, fields);
  const newestUsage = async () => {
    await hub.hub.modelUsage.flush();
    return hub.hub.database.db
      .selectFrom("model_usage")
      .selectAll()
      .where("route", "=", "text")
      .orderBy("at", "desc")
      .limit(1)
      .executeTakeFirstOrThrow();
  };

  it("is the same in the answer, the history, chat-sync and the room's events", async () => {
    await using watcher = joinAs(hub, vera, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const { body } = await say(vera, room, "Hello.");
    const { provider, model, input_tokens, output_tokens } = await newestUsage();
    const made_by = {
      soul_id: room.soul_id,
      version: 1,
      model: `${provider}:${model}`,
      tokens_in: input_tokens,
      tokens_out: output_tokens,
      summary_version: null,
      lines: 0,
      edited_by: null,
    };
    expect(made_by).toMatchObject({ model: "openai-compatible:text-model", tokens_in: 11 });
    const { message_id, question_id } = body;
    expect(body).toMatchObject({ made_by, answered: true });
    const { created_at } = await hub.hub.database.db
      .selectFrom("chat_messages")
      .select("created_at")
      .where("id", "=", question_id)
      .executeTakeFirstOrThrow();
    const lines = [
      {
        id: question_id,
        parent_id: null,
        role: "user",
        sender_name: "vera",
        content: "Hello.",
        created_at,
      },
      {
        id: message_id,
        parent_id: question_id,
        role: "assistant",
        sender_name: "Orla",
        content: "Go on.",
        created_at,
        made_by,
      },
    ];
    expect((await history(vera, room)).body.messages).toEqual(lines);
    expect((await sync(vera, room, { last_id: 0 })).body.new_messages).toEqual(lines);
    await eventually(() => expect(watcher.ids).toHaveLength(2));
    const events = [
      { type: "message", prev_id: 0, ...lines[0] },
      { type: "message", prev_id: question_id, ...lines[1] },
    ];
    expect(watcher.of("message")).toEqual(events);
    // A client that joins later reads the log.
    await using later = joinAs(hub, vera, { ...room, last_id: 0 });
    await eventually(() => expect(later.of("message")).toEqual(events));
    expect((await sayOnPage(vera, room, "And now?")).body.result.data.made_by).toMatchObject({
      version: 1,
      lines: 2,
    });
  });

  it("names the version whose text the model received, also after an update in mid-stream", async () => {
    for (const version of [1, 2, 3]) {
      const count = hub.provider.requests.length;
      const release = hub.provider.holdNext();
      const sent = say(vera, room, "Who are you?");
      const request = await hub.provider.received(count + 1);
      expect((await put({ content: `I am number ${version + 1}.` })).status).toBe(200);
      release();
      const { body } = await sent;
      expect(body.made_by.version).toBe(version);
      if (version > 1) expect(request.system).toContain(`I am number ${version}.`);
    }
  });

  it("names the version of the summary in the prompt", async () => {
    for (let n = 0; n < 16; n++) {
      expect((await say(vera, room, `Line ${n}.`)).body.made_by.summary_version).toBe(null);
    }
    const folded = async (version: number) =>
      eventually(async () => {
        const { rows } = await hub.hub.database.db
          .selectFrom("room_summaries")
          .innerJoin("chat_rooms", "chat_rooms.id", "room_summaries.room_id")
          .select(["version", "text", "made_by", "name"])
          .where("soul_id", "=", room.soul_id)
          .orderBy("version")
          .execute()
          .then((rows) => ({ rows }));
        expect(rows.at(-1)?.version).toBe(version);
        return rows;
      });
    await folded(1);
    expect((await say(vera, room, "And now?")).body.made_by).toMatchObject({
      summary_version: 1,
      lines: 20,
    });
    const summary = "They talked about the light.";
    await vera.put("/api/my-chats", { ...room, summary });
    expect(await folded(2)).toEqual([
      { version: 1, text: "They talked.", made_by: "fold", name: null },
      { version: 2, text: summary, made_by: "person", name: "vera" },
    ]);
    const { body } = await say(vera, room, "And now?");
    expect(body.made_by.summary_version).toBe(2);
    // After a reset, no prompt contains a summary.
    await vera.put("/api/my-chats", { ...room, summary: null });
    await folded(3);
    const later = await say(vera, room, "And now?");
    expect(later.body.made_by.summary_version).toBe(null);
    const again = await say(vera, room, "", { regenerate: later.body.question_id });
    expect(again.body.made_by.summary_version).toBe(null);
  });
});

describe("made_by of a provider that reports no tokens", () => {
  it("has null for both counts", async () => {
    await using hub = await startChatHub({ routes: { text: "offline" } });
    const vera = await hub.vip("vera");
    const { body } = await say(vera, await openRoom(vera), "Hello.");
    expect(body.made_by).toMatchObject({ model: "offline", tokens_in: null, tokens_out: null });
  });
});

describe.skipIf(!inject("services").redis)("on two servers", () => {
  const kind = ruleDatabase();
  it("all fields of a message and of a question reach the clients of both", async () => {
    await using servers = await startTwoServers(kind);
    const { one, two } = servers;
    const vera = await one.vip("vera");
    const room = await openRoom(vera);
    await using here = joinAs(one, vera, room);
    await using there = joinAs(two, vera, room);
    for (const watcher of [here, there]) {
      await eventually(() => expect(watcher.types).toContain("sync"));
    }
    const first = await say(vera, room, "Hello.");
    await say(vera, room, "", { regenerate: first.body.question_id });
    await eventually(() => expect([here.ids.length, there.ids.length]).toEqual([3, 3]));
    await eventually(() => expect(there.of("reply-done")).toHaveLength(2));
    expect(there.of("message")).toEqual(here.of("message"));
    expect(there.of("message").at(-1)).toMatchObject({
      parent_id: first.body.question_id,
      made_by: { version: 1 },
    });
    expect(there.of("asked")).toEqual(here.of("asked"));
    expect(there.of("asked").at(-1)).toMatchObject({ regenerates: first.body.question_id });
  });

  it("a message of a server of the release before is read from the log", async () => {
    await using servers = await startTwoServers(kind);
    const { one, two } = servers;
    const vera = await one.vip("vera");
    const room = await openRoom(vera);
    await using there = joinAs(two, vera, room);
    await eventually(() => expect(there.types).toContain("sync"));
    const publish = one.hub.rooms.publishMessages;
    // A server of the release before publishes the fields that it knows.
    one.hub.rooms.publishMessages = (key, messages) =>
      publish(
        key,
        messages.map(({ id, prev_id, role, sender_name, content }) => ({
          ...({ id, prev_id, role, sender_name, content } as (typeof messages)[number]),
        })),
      );
    const { body } = await say(vera, room, "Hello.");
    await eventually(() => expect(there.ids).toHaveLength(2));
    expect(there.of("message")).toMatchObject([
      { id: body.question_id, parent_id: null },
      { id: body.message_id, parent_id: body.question_id, made_by: { version: 1 } },
    ]);
  });
});
