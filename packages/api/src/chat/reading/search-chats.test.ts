import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, openRoom, type RoomName, say, signedIn } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { roomRow } from "../tree/tree.fixture.ts";

const options = { databases: testDatabases(), provider: { reply: () => "Mm." } };

describeChat("GET /api/chat-search", options, (hub) => {
  let ada: Actor;
  let ben: Actor;
  let room: RoomName;

  beforeAll(async () => {
    ada = await hub.vip("ada");
    ben = await hub.vip("ben");
    room = await openRoom(ada);
  });

  const search = (actor: Actor, q: string, more = "") =>
    actor.get(`/api/chat-search?q=${encodeURIComponent(q)}${more}`);
  const found = async (actor: Actor, q: string) => (await search(actor, q)).body.data.results;

  it("finds parts of words without regard to case, the newest first, with an excerpt", async () => {
    const first = (await say(ada, room, "Tabs, always TABS.")).body.question_id;
    const second = (await say(ada, room, `${"x".repeat(200)} ÜBERtabs ${"y".repeat(200)}`)).body;
    expect((await search(ada, "bertab")).body.data).toEqual({
      results: [
        {
          ...room,
          title: "Tabs, always TABS.",
          id: second.question_id,
          sender_name: "ada",
          excerpt: `…${"x".repeat(78)} ÜBERtabs ${"y".repeat(78)}…`,
        },
      ],
      is_complete: true,
    });
    expect((await found(ada, "übertabs")).map(({ id }: { id: number }) => id)).toEqual([
      second.question_id,
    ]);
    expect((await found(ada, "tABS")).map(({ id }: { id: number }) => id)).toEqual([
      second.question_id,
      first,
    ]);
  });

  it.each(["100%", "a_b", "c:\\d", "(e|f)", "'g'"])("takes %s as text", async (text) => {
    const { question_id } = (await say(ada, room, `It says ${text}.`)).body;
    await say(ada, room, "It says 100x, axb, c:d, e, g.");
    expect(await found(ada, text)).toMatchObject([{ id: question_id }]);
  });

  it("waits for other searches, so that other calls have connections", async () => {
    await say(ada, room, "Patience.");
    const { searching, database } = hub.hub;
    const ended = Promise.withResolvers<void>();
    for (let n = 0; n < database.connections; n++) void searching.run(() => ended.promise);
    let isFound = false;
    const waiting = found(ada, "patience").then((results) => {
      isFound = true;
      return results;
    });
    expect((await ada.get("/api/my-chats")).status).toBe(200);
    await setTimeout(300);
    expect(isFound).toBe(false);
    ended.resolve();
    expect(await waiting).toHaveLength(1);
  });

  it("finds a letter with an accent in either of its forms", async () => {
    const far = "x".repeat(200);
    const { question_id } = (await say(ada, room, `${far} cafe\u0301 ${far}`)).body;
    const excerpt = expect.stringContaining(" caf\u00e9 ");
    for (const text of ["Caf\u00e9", "cafe\u0301"]) {
      expect(await found(ada, text)).toMatchObject([{ id: question_id, excerpt }]);
    }
  });

  it("finds one character of Chinese and Japanese", async () => {
    const { question_id } = (await say(ada, room, "ここに茶がある。")).body;
    for (const text of ["茶", "が"])
      expect(await found(ada, text)).toMatchObject([{ id: question_id }]);
    for (const text of ["。", "x"]) {
      expect(failureOf(await search(ada, text))).toEqual([400, "invalid_input"]);
    }
  });

  it("finds full-width letters, ligatures and half-width kana by their plain forms, and back", async () => {
    const { question_id } = (await say(ada, room, "Ｐｅｌｉｃａｎ in the oﬃce: ｶﾞﾗｽ²")).body;
    for (const text of ["pelican", "ＰＥＬＩＣＡＮ", "office", "ガラス2", "ｶﾞﾗｽ"]) {
      expect(await found(ada, text)).toMatchObject([{ id: question_id }]);
    }
    const [exact] = await found(ada, "oﬃce");
    expect(exact.excerpt).toBe("Ｐｅｌｉｃａｎ in the oﬃce: ｶﾞﾗｽ²");
    const [plain] = await found(ada, "pelican");
    expect(plain.excerpt).toBe("Pelican in the office: ガラス2");
  });

  it("reads the rooms of my-chats alone, without removed messages", async () => {
    const mine = { ...room, session_token: "mine" };
    const { question_id: id } = (await say(ada, mine, "The word is walrus.")).body;
    expect(await found(ben, "walrus")).toEqual([]);
    await say(ben, mine, "Hello.");
    expect(await found(ben, "walrus")).toMatchObject([{ id, session_token: "mine" }]);
    await say(ada, mine, "Go away.", { is_private: true });
    expect(await found(ben, "walrus")).toEqual([]);
    await ada.delete(`/api/message?soul_id=${room.soul_id}&session_token=mine&id=${id}`);
    expect(await found(ada, "walrus")).toEqual([]);
    expect(await found(ada, "[removed]")).toEqual([]);
  });

  it("says whether there may be more: beyond the limit, or beyond 20,000 messages", async () => {
    const cleo = await hub.vip("cleo");
    const long = { ...room, session_token: "long" };
    await say(cleo, long, "The oldest heron.");
    const { db } = hub.hub.database;
    const { id: room_id, head_id } = await roomRow(hub, long);
    const lengthen = async (from: number, to: number) => {
      await sql`
        insert into chat_messages (id, room_id, prev_id, role, sender, sender_name, content)
        select ${head_id} + n, ${room_id}, ${head_id} + n - 1, 'user', 'guest:x', 'x', 'heron ' || n
        from generate_series(${from}::int, ${to}::int) as n`.execute(db);
      await sql`select setval('chat_messages_id_seq', (select max(id) from chat_messages))`.execute(
        db,
      );
    };
    await lengthen(1, 5);
    const { results, is_complete } = (await search(cleo, "heron", "&limit=6")).body.data;
    expect([results.length, is_complete]).toEqual([6, true]);
    expect((await search(cleo, "heron", "&limit=5")).body.data.is_complete).toBe(false);
    await lengthen(6, 19_998);
    expect((await search(cleo, "oldest")).body.data).toMatchObject({
      results: [{ excerpt: "The oldest heron." }],
      is_complete: true,
    });
    await lengthen(19_999, 19_999);
    expect((await search(cleo, "oldest")).body.data).toEqual({ results: [], is_complete: false });
    const others = { ...room, session_token: "older" };
    expect((await say(cleo, others, "A newer wren.")).status).toBe(200);
    expect(await found(cleo, "wren")).toMatchObject([{ session_token: "older" }]);
  });

  it("says that it is incomplete beyond 16 MiB of text", async () => {
    const dora = await hub.vip("dora");
    const large = { ...room, session_token: "large" };
    const { question_id, message_id } = (await say(dora, large, "The oldest heron.")).body;
    const fill = (mebibytes: number) =>
      hub.hub.database.db
        .updateTable("chat_messages")
        .set({ content: sql`repeat('x', ${mebibytes * 2 ** 20}::int)` })
        .where("id", "=", message_id)
        .execute();
    await fill(15);
    expect((await search(dora, "oldest")).body.data).toMatchObject({
      results: [{ id: question_id }],
      is_complete: true,
    });
    await fill(16);
    expect((await search(dora, "oldest")).body.data).toEqual({ results: [], is_complete: false });
  });

  it("is for accounts, and a key needs a pass", async () => {
    const page = await signedIn(hub, "paul");
    const input = encodeURIComponent(JSON.stringify({ q: "tabs" }));
    expect((await page.get(`/trpc/chat.search?input=${input}`)).status).toBe(200);
    expect((await hub.guest().get(`/trpc/chat.search?input=${input}`)).status).toBe(401);
    const free = await hub.member("fred");
    expect(failureOf(await search(free, "tabs"))).toEqual([403, "pass_required"]);
    for (const q of ["t", " t ", "x".repeat(101)]) {
      expect(failureOf(await search(ada, q))).toEqual([400, "invalid_input"]);
    }
  });
});
