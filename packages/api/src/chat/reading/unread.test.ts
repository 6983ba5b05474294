import { findMentions } from "@soul-hub/soul-names";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultTiers } from "../../quota/tier-table.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  openRoom,
  type RoomName,
  say,
  startChatHub,
  sync,
} from "../../testing/chat-hub.ts";
import { seeded } from "../../testing/random-numbers.ts";
import { mentionOf } from "../history/unread.queries.ts";
import { roomRow } from "../tree/tree.fixture.ts";

interface Line {
  id: number;
  /** The name of the sender; "" for the soul. */
  sender: string;
  content: string;
  isRemoved: boolean;
}

const TEXTS = [
  "Good evening.",
  "@ada, are you there?",
  "Ask (@ADA) or @ben-",
  "@ada-b is somebody else, and so is x@ada",
  "_@Ben_ and @ada",
  "你好@ada你好",
  "> @ada\n`@ada` and https://hub.example/@ada and ada@ada.example",
  "```\n@ada\n```\n@ben",
];
/** The texts that mention each reader as a whole word. */
const MENTIONS: Record<string, readonly number[]> = { ada: [1, 2, 4, 5], ben: [2, 4, 7] };

describe("unread messages", () => {
  let hub: ChatHub;
  let ada: Actor;
  let ben: Actor;
  let room: RoomName;

  beforeAll(async () => {
    const vip = { ...defaultTiers.vip, daily_limit: 10_000 };
    hub = await startChatHub({
      config: { tiers: { ...defaultTiers, vip } },
      provider: { reply: () => "I answer @ada." },
    });
    ada = await hub.vip("ada");
    ben = await hub.vip("ben");
    room = await openRoom(ada);
  });
  afterAll(() => hub.close());

  const session = async (reader: Actor, { session_token } = room) => {
    const { body } = await reader.get("/api/my-chats");
    return body.sessions.find((one: RoomName) => one.session_token === session_token);
  };
  const see = (reader: Actor, id: number, name = room) => reader.put("/api/seen", { ...name, id });

  it("equal a recount after 1,000 random steps", async () => {
    const random = seeded(20_261_125);
    const pick = <T>(choices: readonly T[]) => choices[Math.floor(random() * choices.length)] as T;
    const lines: Line[] = [];
    const seen = new Map<string, number>();
    const begin = await say(ada, room, "Come in.");
    await say(ben, room, "Thank you.");
    const { db } = hub.hub.database;
    const add = (id: number, sender: string, content: string) =>
      lines.push({ id, sender, content, isRemoved: false });
    const { id: room_id } = await roomRow(hub, room);
    const rows = await db.selectFrom("chat_messages").selectAll().orderBy("id").execute();
    for (const { id, content, sender_name, role } of rows) {
      add(id, role === "user" ? sender_name : "", content);
    }
    expect(lines[0]?.id).toBe(begin.body.question_id);

    /** Stores a message that only people read, as if its sender had said it off the record. */
    async function sayOffRecord(name: string, content: string) {
      const prev_id = lines.at(-1)?.id ?? 0;
      const { id } = await db
        .insertInto("chat_messages")
        .values({
          room_id,
          prev_id,
          role: "user",
          sender: sql<string>`(select 'account:' || id from accounts where username = ${name})`,
          sender_name: name,
          content,
          audience: "people",
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await db.updateTable("chat_rooms").set({ head_id: id }).where("id", "=", room_id).execute();
      add(id, name, content);
    }

    function seenTo(reader: string) {
      const own = lines.filter(({ sender }) => sender === reader).at(-1)?.id ?? 0;
      return Math.max(own, seen.get(reader) ?? 0);
    }
    function recount(reader: string) {
      const since = seenTo(reader);
      const unseen = lines.filter((line) => line.id > since && !line.isRemoved);
      const names = MENTIONS[reader]?.map((n) => TEXTS[n]) ?? [];
      const mentions = unseen.filter(
        ({ sender, content }) => names.includes(content) || (sender === "" && reader === "ada"),
      );
      const last = lines.findLast(({ isRemoved }) => !isRemoved);
      return {
        unread: Math.min(99, unseen.length),
        mentions: Math.min(99, mentions.length),
        last_message: { id: last?.id, content: last?.content },
      };
    }

    for (let step = 0; step < 1_000; step++) {
      const actor = pick([ada, ben]);
      const { name } = actor;
      const line = pick(lines);
      const text = pick(TEXTS);
      await pick([
        async () => {
          if (random() < 0.6) return sayOffRecord(name, text);
          const { body } = await say(actor, room, text);
          add(body.question_id, name, text);
          add(body.message_id, "", body.reply);
        },
        () => sayOffRecord(name, text),
        async () => {
          await see(actor, line.id);
          seen.set(name, Math.max(seen.get(name) ?? 0, line.id));
        },
        async () => {
          // Only one of the newest lines may be unread.
          const recent = pick(lines.slice(-4));
          if (random() < 0.5 || recent.isRemoved) return;
          await ada.delete(
            `/api/message?soul_id=${room.soul_id}&session_token=lobby&id=${recent.id}`,
          );
          Object.assign(recent, { isRemoved: true, content: "[removed]" });
        },
        () => actor.put("/api/reaction", { ...room, id: line.id, emoji: "👍", on: random() < 0.6 }),
      ])();
      if (step % 20 > 0) continue;
      for (const reader of [ada, ben]) {
        expect([step, await session(reader)]).toMatchObject([step, recount(reader.name)]);
        const { you } = (await sync(reader, room)).body;
        expect([step, you.seen_to]).toEqual([step, seenTo(reader.name)]);
      }
    }
    expect(lines.length).toBeGreaterThan(300);
  });

  it("count to 99", async () => {
    const long = { ...room, session_token: "long" };
    await say(ada, long, "Come in.");
    const { id: room_id, head_id } = await roomRow(hub, long);
    await sql`
      insert into chat_messages (id, room_id, prev_id, role, sender, sender_name, content)
      select ${head_id} + n, ${room_id}, ${head_id} + n - 1, 'user', 'guest:x', 'x', '@ada'
      from generate_series(1, 120) as n`.execute(hub.hub.database.db);
    await sql`select setval('chat_messages_id_seq', (select max(id) from chat_messages))`.execute(
      hub.hub.database.db,
    );
    expect(await session(ada, long)).toMatchObject({ unread: 99, mentions: 99 });
    expect((await see(ada, head_id + 110, long)).status).toBe(200);
    expect(await session(ada, long)).toMatchObject({ unread: 10, mentions: 10 });
  });

  it.each([
    "@ada",
    "@adaé",
    "@ada_",
    "@ada-é",
    "@@ada",
    "é@ada",
    "面包@ada面包",
    "@ada.",
    "_@ada",
    "http://x/@ada",
    "x+http://x/@ada",
    "看http://x/，@ada",
    "hub.example:80/@ada",
    "e.g. /@ada",
    "@ada@hub.example",
    "a_@ada.example",
    "(@ada.",
    "> @ada",
    "   >@ada",
    "    > @ada",
    "a > @ada",
    "- > @ada",
    "\t- 10. > @ada",
    "10> @ada",
    "    @ada",
    " \t@ada",
    "a\n    @ada",
    "a\r\n \r\n\tb\n    @ada",
    "- a\n\n    @ada",
    "1) a\n  b\n\n    @ada",
    "- a\nb\n\n    @ada",
    "- ```\n  @ada\n  ```",
    "+ ~~~\n  a\n  ~~~\n@ada",
    "`@ada`",
    "``a ` @ada``",
    "`a\n@ada`",
    "`a\n \n@ada`",
    "a ` @ada",
    "` `` ` @ada ``",
    "```\n@ada\n```",
    "```a`b\n@ada",
    "~~~ts\n```\n@ada\n~~~~ \n",
    "~~~\n~~~ a\n@ada",
    "```\n@ada",
    "````\n```\n@ada",
    "`> a\n> b`\n@ada",
    "```\na\n```\n@ada",
    "",
  ])("read a mention in %j as the page does", async (text) => {
    const { rows } = await sql<{ mentions: number }>`
      select (callable_text(${text}) ~* ${mentionOf("ada")})::int as mentions`.execute(
      hub.hub.database.db,
    );
    expect(rows[0]?.mentions === 1).toBe(findMentions(text, ["ada"]).length > 0);
  });

  it("are at least as many as the mentions, also behind 300 removed messages", async () => {
    const quiet = { ...room, session_token: "quiet" };
    await say(ada, quiet, "Come in.");
    await say(ben, quiet, "Thank you, @ada.");
    const { id: room_id, head_id: first } = await roomRow(hub, quiet);
    const { db } = hub.hub.database;
    await sql`
      insert into chat_messages
        (id, room_id, prev_id, role, sender, sender_name, content, removed_at)
      select ${first} + n, ${room_id}, ${first} + n - 1, 'user', 'guest:x', 'x', '[removed]',
        hub_now()
      from generate_series(1, 300) as n`.execute(db);
    await sql`select setval('chat_messages_id_seq', (select max(id) from chat_messages))`.execute(
      db,
    );
    await db
      .updateTable("chat_rooms")
      .set({ head_id: first + 300 })
      .where("id", "=", room_id)
      .execute();
    const { unread, mentions } = await session(ada, quiet);
    expect(mentions).toBe(3);
    expect(unread).toBeGreaterThanOrEqual(mentions);
  });

  it("count each mention among thousands of unread messages", async () => {
    const busy = { ...room, session_token: "busy" };
    await say(ada, busy, "Come in.");
    await say(ben, busy, "Thank you, @ada.");
    const { id: room_id, head_id: first } = await roomRow(hub, busy);
    const { db } = hub.hub.database;
    const own = sql<string>`(select 'account:' || id from accounts where username = 'ada')`;
    /** Stores messages, of which each 500th mentions Ada, and each 200th has another address. */
    const lengthen = async (from: number, to: number) => {
      await sql`
        insert into chat_messages (id, room_id, prev_id, role, sender, sender_name, content)
        select ${first} + n, ${room_id}, ${first} + n - 1, 'user', 'guest:x', 'x',
          case when n % 500 = 0 then 'Well, @ADA?' when n % 200 = 0 then 'x@ada' else 'Hm.' end
        from generate_series(${from}::int, ${to}::int) as n`.execute(db);
      await sql`select setval('chat_messages_id_seq', (select max(id) from chat_messages))`.execute(
        db,
      );
      await db
        .updateTable("chat_rooms")
        .set({ head_id: first + to })
        .where("id", "=", room_id)
        .execute();
    };
    await lengthen(1, 5_000);
    // Ten of these, and three before them: Ben's and those of two replies.
    expect(await session(ada, busy)).toMatchObject({ unread: 99, mentions: 13 });
    await ada.delete(`/api/message?soul_id=${busy.soul_id}&session_token=busy&id=${first + 2_500}`);
    expect(await session(ada, busy)).toMatchObject({ unread: 99, mentions: 12 });
    await see(ada, first + 1_999, busy);
    expect(await session(ada, busy)).toMatchObject({ unread: 99, mentions: 6 });
    // Her own message counts as seen, far behind the newest ones and without an address.
    await db
      .updateTable("chat_messages")
      .set({ sender: own, sender_name: "ada", content: "Here I am." })
      .where("id", "=", first + 3_001)
      .execute();
    expect(await session(ada, busy)).toMatchObject({ unread: 99, mentions: 4 });
    expect((await sync(ada, busy)).body.you.seen_to).toBe(first + 3_001);
    await see(ada, first + 4_950, busy);
    expect(await session(ada, busy)).toMatchObject({ unread: 50, mentions: 1 });
  });

  it("are none for a new member, of what was said before", async () => {
    const talk = { ...room, session_token: "talk" };
    await say(ada, talk, "@ben should see this.", { is_private: true });
    const { body } = await ada.post("/api/room-invites", { ...talk, uses: 5, days: 1 });
    expect((await ben.post("/api/room-join", { invite: body.invite })).status).toBe(200);
    expect(await session(ben, talk)).toMatchObject({ unread: 0, mentions: 0 });
    await say(ada, talk, "And this, @ben.");
    expect(await session(ben, talk)).toMatchObject({ unread: 2, mentions: 1 });
    // A member that joins again, or is named again, has seen no more than before.
    await ben.post("/api/room-join", { invite: body.invite });
    const set = (state: string) => ada.put("/api/room-people", { ...talk, username: "ben", state });
    await set("muted");
    await set("member");
    expect(await session(ben, talk)).toMatchObject({ unread: 2, mentions: 1 });
    await set("none");
    await set("member");
    expect(await session(ben, talk)).toMatchObject({ unread: 0, mentions: 0 });
  });

  it("never go back, and know only messages of the room", async () => {
    const other = { ...room, session_token: "other" };
    const first = (await say(ada, other, "One.")).body;
    const second = (await say(ben, other, "Two.")).body;
    expect(await session(ada, other)).toMatchObject({ unread: 3 });
    expect((await see(ada, second.question_id, other)).status).toBe(200);
    expect((await see(ada, first.message_id, other)).status).toBe(200);
    expect(await session(ada, other)).toMatchObject({ unread: 1 });
    for (const id of [second.message_id + 1, (await say(ada, room, "Else.")).body.message_id]) {
      expect(failureOf(await see(ada, id, other))).toEqual([404, "message_not_found"]);
    }
    expect(failureOf(await see(hub.guest(), first.message_id, other))[0]).toBe(401);
  });

  it("list rooms of members, and none of the banned", async () => {
    const secret = { ...room, session_token: "secret" };
    await say(ada, secret, "Just us.", { is_private: true });
    expect(await session(ben, secret)).toBeUndefined();
    const { db } = hub.hub.database;
    const { id: room_id } = await roomRow(hub, secret);
    const participant = sql<string>`(select 'account:' || id from accounts where username = 'ben')`;
    await db
      .insertInto("room_people")
      .values({ room_id, participant, name: "ben", is_member: true })
      .execute();
    expect(await session(ben, secret)).toMatchObject({ unread: 2, is_private: true });
    const ban = (restricted_until: string | null) =>
      db
        .updateTable("room_people")
        .set({ restriction: "banned", restricted_until })
        .where("room_id", "=", room_id)
        .execute();
    await ban(null);
    expect(await session(ben, secret)).toBeUndefined();
    await ban("2020-01-01 00:00:00");
    expect(await session(ben, secret)).toMatchObject({ unread: 2 });
  });
});
