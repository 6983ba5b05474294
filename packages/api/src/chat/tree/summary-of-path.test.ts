import { beforeAll, beforeEach, expect, it } from "vitest";
import { say } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { roomRow, roomRows, switchTo } from "./tree.fixture.ts";

let folds = 0;
const options = {
  databases: testDatabases(),
  routes: { summary: "openai-compatible:summary-model" },
  provider: {
    reply: ({ model, messages }: SeenRequest) =>
      model === "summary-model"
        ? `Summary ${++folds}.`
        : `Reply to ${messages.at(-1)?.content.replace("[vera] ", "")}`,
  },
};

/** 0038: the summary covers the path and nothing else. */
describeRoom("the summary of a room", options, (hub, vera, room) => {
  beforeAll(async () => {
    await hub.pass(vera, "pro");
  });
  beforeEach(async () => {
    folds = 0;
  });
  const lastRequest = (model: string) =>
    hub.provider.requests.findLast((request) => request.model === model);
  const lastPrompt = () => (lastRequest("text-model")?.messages ?? []).map((m) => m.content);
  const ask = async (content: string, more: object = {}) => {
    const { body } = await say(vera, room, content, more);
    expect(body.error).toBeUndefined();
    return { question: body.question_id as number, reply: body.message_id as number };
  };
  const askMany = async (name: string, count: number) => {
    const asked = [];
    for (let n = 1; n <= count; n++) asked.push(await ask(`${name} ${n}.`));
    return asked;
  };
  const folded = (summary: string) =>
    eventually(async () => {
      expect(await roomRow(hub, room)).toMatchObject({ summary, folding_until: null });
    });

  it("is made of the path, without abandoned branches", async () => {
    const [, second] = await askMany("Old", 10);
    await ask("New 0.", { parent_id: second?.reply ?? 0 });
    await askMany("New", 13);
    await folded("Summary 1.");
    const text = lastRequest("summary-model")?.messages[0]?.content ?? "";
    expect(text).toContain("[vera] Old 2.");
    expect(text).not.toContain("Old 3.");
    expect(text).toContain("[vera] New 0.");
    expect(text).not.toContain("New 8.");
    const lines = await roomRows(hub, room);
    const { summarised_to } = await roomRow(hub, room);
    expect(lines.find(({ id }) => id === summarised_to)?.content).toBe("Reply to New 7.");
    await ask("And now?");
    expect(lastPrompt()[0]).toContain("Summary 1.");
    expect(lastPrompt().join()).not.toContain("Old 3.");
  });

  it("is that of the branch to which the path is switched", async () => {
    const old = await askMany("Old", 16);
    await folded("Summary 1.");
    const early = old[4]?.reply ?? 0;
    // The summary covers lines after the branch, so the prompt does not contain it.
    await ask("New 0.", { parent_id: early });
    expect(lastPrompt()).toHaveLength(11);
    expect(lastPrompt().join()).not.toContain("Summary");
    expect(await roomRow(hub, room)).toMatchObject({ summary: null, summarised_to: 0 });
    await askMany("New", 10);
    await folded("Summary 2.");
    const { summarised_to, head_id } = await roomRow(hub, room);

    await switchTo(vera, room, old[15]?.reply ?? 0);
    expect((await roomRow(hub, room)).summary).toBe("Summary 1.");
    const back = await say(vera, room, "And now?");
    expect(lastPrompt()[0]).toContain("Summary 1.");
    expect(back.body.made_by.summary_version).toBe(1);

    await switchTo(vera, room, head_id);
    expect(await roomRow(hub, room)).toMatchObject({ summary: "Summary 2.", summarised_to });
    expect((await say(vera, room, "And now?")).body.made_by.summary_version).toBe(2);
    // An inner line that the summary covers: nothing may be told of later lines.
    await switchTo(vera, room, old[0]?.reply ?? 0);
    expect(await roomRow(hub, room)).toMatchObject({ summary: null, summarised_to: 0 });
  });

  it("of a server of the release before is kept as a version", async () => {
    const old = await askMany("Old", 5);
    const { db } = hub.hub.database;
    const summarised_to = old[2]?.reply ?? 0;
    const { id } = await roomRow(hub, room);
    const former = { summary: "From before.", summarised_to };
    await db.updateTable("chat_rooms").set(former).where("id", "=", id).execute();
    // The question is after the summary: it stays in the prompt, without a version.
    const { body } = await say(vera, room, "", { regenerate: old[4]?.question });
    expect(lastPrompt()[0]).toContain("From before.");
    expect(body.made_by.summary_version).toBe(null);
    expect((await say(vera, room, "And now?")).body.made_by.summary_version).toBe(1);
    await ask("New.", { parent_id: old[0]?.reply });
    expect((await roomRow(hub, room)).summary).toBe(null);
    await switchTo(vera, room, old[4]?.reply ?? 0);
    expect((await roomRow(hub, room)).summary).toBe("From before.");
  });

  it("is not stored if the path has left its lines meanwhile", async () => {
    const old = await askMany("Old", 15);
    const count = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const last = say(vera, room, "Old 16.");
    await hub.provider.received(count + 1);
    const releaseFold = hub.provider.holdNext();
    release();
    await last;
    await hub.provider.received(count + 2);
    await switchTo(vera, room, old[1]?.reply ?? 0);
    releaseFold();
    await eventually(async () => {
      expect((await roomRow(hub, room)).folding_until).toBe(null);
    });
    expect(await roomRow(hub, room)).toMatchObject({ summary: null, summarised_to: 0 });
  });

  it("keeps its newest 50 versions", async () => {
    await ask("Hello.");
    for (let n = 1; n <= 52; n++) {
      const { status } = await vera.put("/api/my-chats", { ...room, summary: `Version ${n}.` });
      expect(status).toBe(200);
    }
    const kept = await hub.hub.database.db
      .selectFrom("room_summaries")
      .select(["version", "text"])
      .where("room_id", "=", (await roomRow(hub, room)).id)
      .orderBy("version")
      .execute();
    expect(kept.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, n) => n + 3));
    expect(kept.at(-1)?.text).toBe("Version 52.");
  });
});
