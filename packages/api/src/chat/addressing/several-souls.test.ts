import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defaultTiers } from "../../quota/tier-table.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  remaining,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import type { SeenRequest, ServerFault } from "../../testing/openai-server.ts";
import {
  openSharedRoom,
  removeMessage,
  type SharedRoom,
  soulOf,
  textsOf,
} from "./several-souls.fixture.ts";

/** Faults of the model provider, by the title of the soul that is to reply. */
const faults = new Map<string, ServerFault>();
const provider = {
  reply: (request: SeenRequest) => `${soulOf(request)} speaks.`,
  fault: (request: SeenRequest) => faults.get(soulOf(request)),
};
const options = {
  provider,
  routes: { premium: "openai-compatible:premium-model" },
  config: { tiers: { ...defaultTiers, pro: { ...defaultTiers.pro, premium_limit: 1 } } },
};

/** 0041: the souls of a room, each of which replies if it is addressed. */
describeChat("several souls", options, (hub) => {
  let vera: Actor;
  let author: Actor;
  let shared: SharedRoom;
  let seen = 0;

  beforeAll(async () => {
    vera = await hub.vip("vera");
    author = await hub.vip("author");
  });
  beforeEach(async () => {
    faults.clear();
    shared = await openSharedRoom(vera, author);
    seen = hub.provider.requests.length;
  });
  const ask = (content: string, more: object = {}) => say(vera, shared.room, content, more);
  const calls = () => hub.provider.requests.slice(seen);
  const titles = () => calls().map(soulOf);
  const lines = async () => (await history(vera, shared.room)).body.messages;

  it("reply in the order of their mentions, each seeing those before", async () => {
    const left = await remaining(vera);
    const { status, body } = await ask("@Cara, and you @ben? And @cara again?");
    expect(status).toBe(200);
    expect(titles()).toEqual(["Cara", "Ben"]);
    expect(await remaining(vera)).toBe(left - 2);
    expect(body).toMatchObject({ reply: "Cara speaks.", sender_name: "Cara", answered: true });
    expect(body.quota.daily_remaining).toBe(left - 2);
    const question = "[vera] @Cara, and you @ben? And @cara again?";
    const before = ["[vera] Hello.", "[Orla (soul)] Orla speaks."];
    expect(calls().map(textsOf)).toEqual([
      [...before, question],
      [...before, question, "[Cara (soul)] Cara speaks."],
    ]);
    expect(calls()[1]?.messages.map(({ role }) => role)).toEqual(Array(4).fill("user"));
    const [, , asked, first, second] = await lines();
    expect([first, second]).toMatchObject([
      { id: body.message_id, parent_id: asked.id, sender_name: "Cara", content: "Cara speaks." },
      { parent_id: first.id, sender_name: "Ben", content: "Ben speaks." },
    ]);
    expect(body.replies).toEqual(
      [first, second].map(({ id, content, sender_name, made_by }) => ({
        soul_id: made_by.soul_id,
        sender_name,
        reply: content,
        reply_id: expect.any(String),
        message_id: id,
        made_by,
      })),
    );
    expect(second.made_by).toMatchObject({ soul_id: shared.ben, version: 1, lines: 3 });
    expect(body.replies[0].reply_id).toBe(body.reply_id);
  });

  it("read their own replies as theirs, and those of others as of persons", async () => {
    await ask("@ben?");
    await ask("@orla?");
    const roles = calls().map(({ messages }) => messages.map(({ role }) => role[0]).join(""));
    expect(roles).toEqual(["uuu", "uauuu"]);
    expect(textsOf(calls()[1] as SeenRequest)[3]).toBe("[Ben (soul)] Ben speaks.");
    expect(calls()[1]?.system).toContain('A name that ends with "(soul)"');
  });

  it("keep the first reply if the second fails, which costs nothing", async () => {
    const left = await remaining(vera);
    faults.set("Ben", { status: 400 });
    const { status, body } = await ask("@cara @ben @orla");
    expect(status).toBe(200);
    expect(titles()).toEqual(["Cara", "Ben", "Orla"]);
    expect(body.replies).toMatchObject([
      { reply: "Cara speaks." },
      { soul_id: shared.ben, sender_name: "Ben", reply: "", message_id: null, made_by: null },
      { reply: "Orla speaks." },
    ]);
    expect(body.replies[1].error).toBe("provider_failed");
    expect(hub.log.join("")).not.toContain("a further reply failed");
    expect([await remaining(vera), body.quota.daily_remaining]).toEqual([left - 2, left - 2]);
    expect((await lines()).slice(-2).map(({ content }: { content: string }) => content)).toEqual([
      "Cara speaks.",
      "Orla speaks.",
    ]);
    // The third soul follows the first: it has not seen the failed reply.
    expect(textsOf(calls()[2] as SeenRequest).slice(-1)).toEqual(["[Cara (soul)] Cara speaks."]);
  });

  it("fail together if the first fails", async () => {
    const [left, stored] = [await remaining(vera), await lines()];
    faults.set("Cara", { status: 400 });
    expect(failureOf(await ask("@cara @ben"))).toEqual([502, "provider_failed"]);
    expect(titles()).toEqual(["Cara"]);
    expect(await remaining(vera)).toBe(left);
    expect(await lines()).toEqual(stored);
  });

  it("reply all or none if too few units are left", async () => {
    const guest = hub.guest();
    const { room } = shared;
    await guest.get("/api/chat-quota");
    for (let n = 0; n < 4; n++) await sayOnPage(guest, room, "@orla");
    expect(await remaining(guest)).toBe(1);
    seen = hub.provider.requests.length;
    expect(failureOf(await sayOnPage(guest, room, "@ben @cara"))).toEqual([429, "quota_exceeded"]);
    expect(titles()).toEqual([]);
    expect(await remaining(guest)).toBe(1);
    expect((await sayOnPage(guest, room, "@ben")).status).toBe(200);
  });

  it("use premium units as far as they go", async () => {
    const pia = await hub.vip("pia");
    await hub.pass(pia, "pro");
    expect((await say(pia, shared.room, "@ben @cara")).status).toBe(200);
    expect(calls().map(({ model }) => model)).toEqual(["premium-model", "text-model"]);
    const { quota } = (await pia.get("/api/chat-quota")).body;
    expect(quota).toMatchObject({ daily_count: 2, premium_remaining: 0 });
  });

  it("reply from their pins, each for itself", async () => {
    const { orla, ben, cara, room, set } = shared;
    await author.put(`/api/soul/${ben}`, { content: "I am Ben the second." });
    await set({ souls: [{ soul_id: orla }, { soul_id: ben, version: 1 }, { soul_id: cara }] });
    const { body } = await ask("@cara @ben");
    expect(calls()[1]?.system).toContain("I am Ben.\n");
    expect(body.replies[1].made_by).toMatchObject({ soul_id: ben, version: 1 });
    expect(failureOf(await ask("You?", { to: [ben, cara], version: 2 }))).toEqual([
      400,
      "invalid_input",
    ]);
    expect(failureOf(await ask("@ben @cara", { version: 2 }))).toEqual([400, "invalid_input"]);
    expect((await ask("@ben", { version: 2 })).body.made_by.version).toBe(2);
    await author.put("/api/version", { soul_id: ben, number: 1, is_hidden: true });
    const left = await remaining(vera);
    expect(failureOf(await ask("@cara @ben"))).toEqual([409, "version_withdrawn"]);
    expect(await remaining(vera)).toBe(left);
    expect((await say(author, room, "@cara @ben")).status).toBe(200);
  });

  it("are asked again by a regeneration, the room's own one if none is addressed", async () => {
    const { body } = await ask("@ben @cara");
    const again = await ask("", { regenerate: body.question_id });
    expect(titles()).toEqual(["Ben", "Cara", "Ben", "Cara"]);
    expect(again.body.question_id).toBe(body.question_id);
    const { body: path } = await history(vera, shared.room, { path: "active" });
    expect(path.messages.slice(-3)).toMatchObject([
      { id: body.question_id },
      { id: again.body.message_id, parent_id: body.question_id },
      { parent_id: again.body.message_id, sender_name: "Cara" },
    ]);
    const one = await ask("", { regenerate: body.question_id, to: [shared.cara] });
    expect(one.body).toMatchObject({ sender_name: "Cara" });
    await shared.set({ answers: "addressed" });
    const [hello] = path.messages;
    expect((await ask("", { regenerate: hello.id })).body.sender_name).toBe("Orla");
  });

  it("stay where they were asked if the path is switched between two replies", async () => {
    const [, greeting] = await lines();
    await using watcher = joinAs(hub, vera, shared.room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const first = ask("@ben @cara");
    await hub.provider.received(seen + 1);
    const goOn = hub.provider.holdNext();
    await eventually(() => expect(watcher.of("asked")).toHaveLength(2));
    await shared.set({ active_id: greeting.id });
    await ask("Meanwhile?");
    goOn();
    const { body } = await first;
    const [ben, cara] = body.replies;
    const stored = new Map((await lines()).map((line: { id: number }) => [line.id, line]));
    expect(stored.get(cara.message_id)).toMatchObject({ parent_id: ben.message_id });
    const { messages } = (await history(vera, shared.room, { path: "active" })).body;
    expect(messages.map(({ content }: { content: string }) => content)).toEqual([
      "Hello.",
      "Orla speaks.",
      "Meanwhile?",
      "Orla speaks.",
    ]);
  });

  describe("live", () => {
    it("are announced one by one, and cancelled one by one", async () => {
      await using watcher = joinAs(hub, vera, shared.room);
      await eventually(() => expect(watcher.types).toContain("sync"));
      const left = await remaining(vera);
      // Ben's reply could end before the next one is held.
      const [goOnFirst, goOn] = [hub.provider.holdNext(), hub.provider.holdNext()];
      const answer = ask("@ben @cara @orla");
      const asked = (n: number) =>
        eventually(() => {
          const event = watcher.of("asked")[n];
          if (!event) throw new Error("not asked yet");
          return event;
        });
      const first = await asked(0);
      await hub.provider.received(seen + 1);
      goOnFirst();
      const second = await asked(1);
      const inProgress = (await sync(vera, shared.room)).body.replies;
      expect(inProgress).toMatchObject([{ reply_id: second.reply_id, soul_id: shared.cara }]);
      await vera.post("/api/chat-cancel", { reply_id: second.reply_id });
      goOn();
      const { body } = await answer;
      const [ben, cara, orla] = body.replies;
      expect(cara).toMatchObject({ reply_id: second.reply_id, error: "cancelled" });
      expect(await remaining(vera)).toBe(left - 2);
      expect(watcher.of("asked")).toMatchObject([
        { content: "@ben @cara @orla", soul_id: shared.ben, reply_id: ben.reply_id },
        { content: "", soul_id: shared.cara, parent_id: ben.message_id, regenerates: null },
        { content: "", soul_id: shared.orla, parent_id: ben.message_id, reply_id: orla.reply_id },
      ]);
      await eventually(() =>
        expect(watcher.of("reply-done").map(({ id }) => id)).toEqual([
          ben.message_id,
          orla.message_id,
        ]),
      );
      expect(watcher.of("reply-failed")).toMatchObject([
        { reply_id: second.reply_id, error: "cancelled" },
      ]);
      expect(first.parent_id).not.toBeNull();
    });

    it("stream to a REST caller with offsets of their own", async () => {
      const response = await fetch(`${hub.url}/api/chat`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "text/event-stream",
          authorization: `Bearer ${vera.apiKey}`,
        },
        body: JSON.stringify({ ...shared.room, content: "@ben @cara" }),
      });
      const events = (await response.text())
        .split("\n\n")
        .filter((event) => event.startsWith("event: "))
        .map((event) => {
          const [kind = "", data = ""] = event.split("\n");
          return { kind: kind.slice(7), ...JSON.parse(data.slice(6)) };
        });
      const texts = new Map<number, string>();
      for (const { soul_id, offset, text } of events.filter(({ kind }) => kind === "delta")) {
        expect(offset).toBe(texts.get(soul_id)?.length ?? 0);
        texts.set(soul_id, `${texts.get(soul_id) ?? ""}${text}`);
      }
      expect([...texts]).toEqual([
        [shared.ben, "Ben speaks."],
        [shared.cara, "Cara speaks."],
      ]);
      expect(events.at(-1)).toMatchObject({ kind: "done", replies: [{}, {}] });
    });
  });

  it("answer a repeated Idempotency-Key with the present texts of all replies", async () => {
    const key = { "idempotency-key": "several" };
    const send = () => vera.post("/api/chat", { ...shared.room, content: "@ben @cara" }, key);
    const { body } = await send();
    const id = body.replies[1].message_id;
    await vera.put("/api/message", { ...shared.room, id, content: "Cara, edited." });
    const { replies } = (await send()).body;
    expect(titles()).toEqual(["Ben", "Cara"]);
    expect(replies.map(({ reply }: { reply: string }) => reply)).toEqual([
      "Ben speaks.",
      "Cara, edited.",
    ]);
  });

  it("let a question end before their turn if it is removed meanwhile", async () => {
    await using watcher = joinAs(hub, vera, shared.room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const left = await remaining(vera);
    const answer = ask("@ben @cara @orla");
    await hub.provider.received(seen + 1);
    const goOn = hub.provider.holdNext();
    await eventually(() => expect(watcher.of("asked")).toHaveLength(2));
    const question = (await lines()).find(
      ({ content }: { content: string }) => content === "@ben @cara @orla",
    );
    expect((await removeMessage(vera, shared.room, question.id)).status).toBe(200);
    goOn();
    const { replies } = (await answer).body;
    expect(replies[2]).toMatchObject({ reply: "", error: "message_not_found" });
    expect(await remaining(vera)).toBe(left - 2);
    expect(titles()).toEqual(["Ben", "Cara"]);
  });

  it("reply no more to a person that is banned meanwhile", async () => {
    const mallory = await hub.vip("mallory");
    const { room } = shared;
    await using watcher = joinAs(hub, vera, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const left = await remaining(mallory);
    const answer = say(mallory, room, "@ben @cara @orla");
    await hub.provider.received(seen + 1);
    const goOn = hub.provider.holdNext();
    await eventually(() => expect(watcher.of("asked")).toHaveLength(2));
    const ban = { ...room, username: "mallory", state: "banned" };
    expect((await vera.put("/api/room-people", ban)).status).toBe(200);
    goOn();
    const { replies } = (await answer).body;
    expect(replies).toMatchObject([
      { reply: "Ben speaks." },
      { reply: "", error: "banned" },
      { reply: "", error: "banned" },
    ]);
    // No model is called for the third one.
    expect(titles()).toEqual(["Ben", "Cara"]);
    expect(await remaining(mallory)).toBe(left - 1);
    expect((await lines()).at(-1).content).toBe("Ben speaks.");
  });

  it("cost exactly their replies, however many questions compete for the last units", async () => {
    const page = await signedIn(hub, "pru");
    expect(await remaining(page)).toBe(20);
    faults.set("Cara", { status: 400 });
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => sayOnPage(page, shared.room, "@ben @orla @cara")),
    );
    // Three units for each call while it runs, two once Cara has failed.
    const served = answers.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(6);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(failureOf(answer)).toEqual([429, "quota_exceeded"]);
    }
    expect(await remaining(page)).toBe(20 - 2 * served);
    const { db } = hub.hub.database;
    expect(await db.selectFrom("quota_holds").selectAll().execute()).toEqual([]);
    const stored = (await lines()).filter(
      ({ content }: { content: string }) => content === "@ben @orla @cara",
    );
    expect(stored).toHaveLength(served);
  });

  it("begin a room of a session without a key", async () => {
    const page = await signedIn(hub, "mia");
    const room = { soul_id: shared.orla, session_token: "of-mia" };
    expect((await sayOnPage(page, room, "@orla @ben")).status).toBe(200);
    expect(titles()).toEqual(["Orla"]);
  });
});
