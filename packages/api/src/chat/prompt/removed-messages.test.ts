import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import type { SeenRequest } from "../../testing/openai-server.ts";
import { testDatabases } from "../../testing/test-database.ts";
import {
  openSharedRoom,
  removeMessage,
  type SharedRoom,
  textsOf,
} from "../addressing/several-souls.fixture.ts";

const isFold = ({ model }: SeenRequest) => model === "summary-model";
let replies = 0;
const options = {
  databases: testDatabases(),
  routes: { summary: "openai-compatible:summary-model" },
  provider: { reply: (request: SeenRequest) => (isFold(request) ? "S." : `Reply ${++replies}.`) },
};

/** Decisions §5, Memory: a prompt contains nothing of a removed message, not even its place. */
describeChat("the prompts after a removal", options, (hub) => {
  let vera: Actor;
  let author: Actor;
  let shared: SharedRoom;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    author = await hub.vip("author");
  });
  beforeEach(async () => {
    replies = 0;
    shared = await openSharedRoom(vera, author);
  });
  const ask = async (content: string, more: object = {}) =>
    (await say(vera, shared.room, content, more)).body;
  const remove = async (id: number) =>
    expect((await removeMessage(vera, shared.room, id)).status).toBe(200);
  const promptOf = async (content: string) => {
    await ask(content);
    const request = hub.provider.requests.findLast((one) => !isFold(one));
    return request && textsOf(request);
  };

  it("contain neither a removed question nor its replies, one per soul or again", async () => {
    const { question_id } = await ask("@Orla @Ben, what?");
    await ask("", { regenerate: question_id, to: [shared.orla] });
    await ask("Go on.");
    expect((await promptOf("Then?"))?.slice(2)).toEqual([
      "[vera] @Orla @Ben, what?",
      "Reply 4.",
      "[vera] Go on.",
      "Reply 5.",
      "[vera] Then?",
    ]);
    await remove(question_id);
    expect((await promptOf("And then?"))?.slice(0, 5)).toEqual([
      ...["[vera] Hello.", "Reply 1.", "[vera] Go on.", "Reply 5.", "[vera] Then?"],
    ]);
  });

  it("contain no reply of several souls to a removed question", async () => {
    const { question_id } = await ask("@Orla @Ben, what?");
    await remove(question_id);
    expect(await promptOf("Then?")).toEqual(["[vera] Hello.", "Reply 1.", "[vera] Then?"]);
  });

  it("contain the question of a removed reply", async () => {
    const { message_id } = await ask("What?");
    await remove(message_id);
    expect((await promptOf("Then?"))?.slice(2)).toEqual(["[vera] What?", "[vera] Then?"]);
  });

  it("contain a text that reads [removed] like any other text", async () => {
    await ask("I wrote: [removed]");
    expect((await promptOf("Then?"))?.slice(2)).toEqual([
      ...["[vera] I wrote: [removed]", "Reply 2.", "[vera] Then?"],
    ]);
  });

  it("contain the newest 20 messages that are left, and so do summaries", async () => {
    const asked: number[] = [];
    for (let n = 0; n < 20; n++) asked.push((await ask(`Question ${n}.`)).question_id);
    for (const id of asked.slice(5, 15)) await remove(id);
    const before = hub.provider.requests.length;
    const left = [0, 1, 2, 3, 4, 15, 16, 17, 18, 19].map((n) => `[vera] Question ${n}.`);
    const texts = await promptOf("Then?");
    expect(texts?.slice(-21).filter((text) => text.startsWith("["))).toEqual([
      ...left,
      "[vera] Then?",
    ]);
    for (let n = 0; n < 6; n++) await ask(`Later ${n}.`);
    const folded = () => hub.provider.requests.slice(before).find(isFold)?.messages[0]?.content;
    await eventually(() => expect(folded()).toBeDefined());
    expect(folded()).not.toMatch(/removed|Question (?:[5-9]|1[0-4])\./);
  });
});
