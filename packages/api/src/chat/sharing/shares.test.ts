import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  openRoom,
  type RoomName,
  say,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { roomRow, roomRows } from "../tree/tree.fixture.ts";

describeChat("shared conversations", { config: { cdnCache: true } }, (hub) => {
  let ada: Actor;
  let ben: Actor;
  let soul: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    ada = await hub.vip("ada");
    ben = await hub.vip("ben");
    soul = await openRoom(ada);
  });

  const newRoom = ({ soul_id } = soul) => ({ soul_id, session_token: `room-${++rooms}` });
  /** Two people talk in a new room. Returns its name and the ids of its messages. */
  async function talk(name = newRoom()) {
    const first = (await say(ada, name, "Tabs?")).body;
    const second = (await say(ben, name, "Spaces.")).body;
    const ids = [first.question_id, first.message_id, second.question_id, second.message_id];
    return { name, ids: ids as [number, number, number, number] };
  }
  const share = (name: RoomName, more: object = {}) =>
    ada.post("/api/shares", { ...name, ...more });
  const shared = async (name: RoomName, more: object = {}): Promise<string> =>
    (await share(name, more)).body.share_id;
  const read = (id: string) => hub.guest().get(`/api/share/${id}`);
  const idsIn = async (id: string) =>
    (await read(id)).body.data.messages.map((line: { id: number }) => line.id);
  const remove = ({ soul_id, session_token }: RoomName, id: number) =>
    ada.delete(`/api/message?soul_id=${soul_id}&session_token=${session_token}&id=${id}`);
  const setOffRecord = (id: number) =>
    sql`update chat_messages set audience = 'people' where id = ${id}`.execute(hub.hub.database.db);

  it("show the path up to a message, with pseudonyms or names, and no session token", async () => {
    const { name, ids } = await talk();
    const { share_id, url } = (await share(name, { to_id: ids[2] })).body;
    expect([share_id, url]).toEqual([
      expect.stringMatching(/^[\w-]{22}$/),
      `${hub.url}/share/${share_id}`,
    ]);
    const { text, body } = await read(share_id);
    expect(body.data).toMatchObject({
      title: "Tabs?",
      soul_id: soul.soul_id,
      soul_title: "Orla",
      is_complete: true,
      messages: [
        { id: ids[0], role: "user", sender_name: "Person 1", content: "Tabs?" },
        { id: ids[1], role: "assistant", sender_name: "Orla", made_by: { edited_by: null } },
        { id: ids[2], role: "user", sender_name: "Person 2", content: "Spaces." },
      ],
    });
    expect(text).not.toMatch(/room-\d|account:|"ada"|"ben"/);
    const named = (await read(await shared(name, { names: true }))).body.data.messages;
    expect(named.map((line: { sender_name: string }) => line.sender_name)).toEqual([
      "ada",
      "Orla",
      "ben",
      "Orla",
    ]);
  });

  it("are in their present state: edits, removals and later messages", async () => {
    const { name, ids } = await talk();
    const whole = await shared(name);
    const { headers } = await read(whole);
    const held = { "if-none-match": headers.get("etag") ?? "" };
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("x-robots-tag")).toBe("noindex");
    expect((await hub.guest().get(`/api/share/${whole}`, held)).status).toBe(304);
    await ada.put("/api/message", { ...name, id: ids[0], content: "Tabs or spaces?" });
    expect((await hub.guest().get(`/api/share/${whole}`, held)).status).toBe(200);
    await ada.put("/api/message", { ...name, id: ids[1], content: "Both." });
    expect((await read(whole)).body.data.messages.slice(0, 2)).toMatchObject([
      {
        content: "Tabs or spaces?",
        created_at: (await history(ada, name)).body.messages[0].created_at,
        edited_at: expect.any(String),
      },
      { content: "Both.", made_by: { edited_by: null } },
    ]);
    await say(ada, name, "Later.");
    await remove(name, ids[2]);
    expect(await idsIn(whole)).toEqual([ids[0], ids[1], ids[3]]);
  });

  it("leave out off-record messages and abandoned branches, also from the title", async () => {
    const { name, ids } = await talk();
    await setOffRecord(ids[2]);
    const { body } = await say(ada, name, "Anew.", { parent_id: 0 });
    const path = await shared(name);
    expect(await idsIn(path)).toEqual([body.question_id, body.message_id]);
    expect((await read(path)).body.data.title).toBe("Anew.");
    const branch = await shared(name, { to_id: ids[3] });
    expect(await idsIn(branch)).toEqual([ids[0], ids[1], ids[3]]);
    expect(failureOf(await share(name, { to_id: ids[2] }))).toEqual([400, "invalid_input"]);
    await remove(name, ids[1]);
    expect(failureOf(await share(name, { to_id: ids[1] }))).toEqual([404, "message_not_found"]);
  });

  it("end with their revocation, and with the room", async () => {
    const { name } = await talk();
    const [one, two] = [await shared(name), await shared(name)];
    const query = `soul_id=${name.soul_id}&session_token=${name.session_token}`;
    const listed = (await ada.get(`/api/shares?${query}`)).body.data;
    expect(listed).toMatchObject([{ share_id: one, names: false }, { share_id: two }]);
    expect(failureOf(await ben.delete(`/api/shares?share_id=${one}`))).toEqual([403, "not_owner"]);
    expect((await ada.delete(`/api/shares?share_id=${one}`)).status).toBe(200);
    expect(failureOf(await read(one))).toEqual([404, "share_not_found"]);
    expect((await read(one)).headers.get("x-robots-tag")).toBe("noindex");
    expect(failureOf(await ada.delete(`/api/shares?share_id=${one}`))[0]).toBe(404);
    await ada.delete(`/api/room?${query}`);
    expect((await read(two)).status).toBe(404);
  });

  it("are hidden while the soul is private or gated", async () => {
    const own = await openRoom(ada);
    const { name } = await talk(newRoom(own));
    const id = await shared(name);
    for (const [closed, open] of [
      [{ is_public: 0 }, { is_public: 1 }],
      [{ nft_contract: "nft.near" }, { nft_contract: null }],
    ]) {
      await ada.put(`/api/soul/${own.soul_id}`, closed);
      expect(failureOf(await read(id))).toEqual([404, "share_not_found"]);
      const { soul_id, session_token } = name;
      const query = `soul_id=${soul_id}&session_token=${session_token}`;
      expect((await ada.get(`/api/shares?${query}`)).body.data).toMatchObject([{ share_id: id }]);
      await ada.put(`/api/soul/${own.soul_id}`, open);
      expect((await read(id)).status).toBe(200);
    }
    await ada.delete(`/api/soul/${own.soul_id}`);
    expect((await read(id)).status).toBe(404);
  });

  it("are at most 20 a room, also at the same time, and one per Idempotency-Key", async () => {
    const { name } = await talk();
    const once = { "idempotency-key": "once" };
    const first = await ada.post("/api/shares", name, once);
    expect((await ada.post("/api/shares", name, once)).body).toEqual(first.body);
    const { share_id } = first.body;
    const answers = await Promise.all(Array.from({ length: 25 }, () => share(name)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    await ada.delete(`/api/shares?share_id=${share_id}`);
    const revoked = await ada.post("/api/shares", name, once);
    expect(failureOf(revoked)).toEqual([404, "share_not_found"]);
  });

  describe("POST /api/room-copy", () => {
    const copy = (actor: Actor, body: object) => actor.post("/api/room-copy", body);

    it("copies the path into a private room of the caller's alone", async () => {
      const { name, ids } = await talk();
      const removed = (await say(ada, name, "Psst.")).body.question_id;
      await remove(name, removed);
      await setOffRecord(ids[2]);
      const { session_token: new_session_token } = newRoom();
      const made = { soul_id: soul.soul_id, session_token: new_session_token };
      const { body } = await copy(ben, { ...name, new_session_token });
      expect(body).toMatchObject({ soul_id: soul.soul_id, copied: 4 });

      const { messages } = (await history(ben, made)).body;
      const source = (await history(ben, name)).body.messages;
      const kept = source.filter(({ id }: { id: number }) => id !== ids[2] && id !== removed);
      const shown = ({ role, sender_name, content, made_by, created_at }: (typeof source)[0]) =>
        ({ role, sender_name, content, made_by, created_at }) as object;
      expect(messages.map(shown)).toEqual(kept.map(shown));
      expect(failureOf(await history(ada, made))).toEqual([403, "private_session"]);
      const chats = async (actor: Actor) =>
        (await actor.get("/api/my-chats")).body.sessions.filter(
          (one: RoomName) => one.session_token === new_session_token,
        );
      expect(await chats(ada)).toEqual([]);
      expect(await chats(ben)).toMatchObject([{ is_owner: true, unread: 0, mentions: 0 }]);
      const senders = (await roomRows(hub, made)).map(({ sender }) => sender);
      expect(senders).toEqual(["copied:1", "soul", "soul", "soul"]);
      expect((await say(ben, made, "Go on.")).body.made_by.lines).toBe(4);
      expect(failureOf(await copy(ben, { ...name, new_session_token }))).toEqual([
        409,
        "room_changed",
      ]);
    });

    it("is titled a copy, keeps the times, and takes along the souls that everyone may use", async () => {
      const [kept, hidden] = [await openRoom(ada, { title: "Ben" }), await openRoom(ada)];
      const host = { soul_id: soul.soul_id, version: 1 };
      const name = newRoom();
      await say(ada, name, "Tabs?");
      await ada.put("/api/room", { ...name, souls: [host, kept, hidden] });
      await hub.hub.database.db
        .updateTable("chat_messages")
        .set({ created_at: "2026-01-05T10:00:00Z" })
        .where("room_id", "=", (await roomRow(hub, name)).id)
        .execute();
      // The row names the soul until the hub has taken it out of every room.
      await sql`update souls set is_public = 0 where id = ${hidden.soul_id}`.execute(
        hub.hub.database.db,
      );
      const made = newRoom();
      await copy(ben, { ...name, new_session_token: made.session_token });
      const { messages } = (await history(ben, made)).body;
      expect(messages.map((line: { created_at: string }) => line.created_at)).toEqual(
        Array(2).fill("2026-01-05 10:00:00"),
      );
      const { room } = (await sync(ben, made, { revision: 0 })).body;
      expect(room).toMatchObject({
        title: "Copy of Tabs?",
        copied: { from: "Tabs?", to_id: messages[1].id, at: expect.stringMatching(/^\d{4}-/) },
      });
      const { souls } = await roomRow(hub, made);
      expect(souls).toMatchObject([host, { soul_id: kept.soul_id, version: null }]);
      expect((await sync(ada, name, { revision: 0 })).body.room.copied).toBeUndefined();
    });

    it("copies a share as it shows the conversation", async () => {
      const { name, ids } = await talk();
      const share_id = await shared(name, { to_id: ids[2] });
      const cleo = await hub.vip(`cleo-${rooms}`);
      const { session_token: new_session_token } = newRoom();
      const once = { "idempotency-key": "copy" };
      const body = { share_id, new_session_token };
      const first = await cleo.post("/api/room-copy", body, once);
      expect(first.body).toMatchObject({ success: true, copied: 3 });
      expect((await cleo.post("/api/room-copy", body, once)).body).toEqual(first.body);
      const made = { soul_id: soul.soul_id, session_token: new_session_token };
      const { messages } = (await history(cleo, made)).body;
      expect(messages.map((line: { sender_name: string }) => line.sender_name)).toEqual([
        "Person 1",
        "Orla",
        "Person 2",
      ]);
      // The share lives on without its last message, and so does its copy.
      await remove(name, ids[2]);
      expect(await idsIn(share_id)).toEqual([ids[0], ids[1]]);
      const second = await copy(cleo, { share_id, new_session_token: `${rooms}-b` });
      expect(second.body).toMatchObject({ success: true, copied: 2 });
      expect(JSON.stringify(second.body)).not.toContain("Spaces");
      await remove(name, ids[0]);
      await remove(name, ids[1]);
      expect((await read(share_id)).body.data.messages).toEqual([]);
      const empty = { share_id, new_session_token: `${rooms}-c` };
      expect(failureOf(await copy(cleo, empty))).toEqual([404, "message_not_found"]);
      await ada.delete(`/api/shares?share_id=${share_id}`);
      expect(failureOf(await copy(cleo, { share_id, new_session_token: "x" }))).toEqual([
        404,
        "share_not_found",
      ]);
    });

    it("makes the others no people of the new room, and keeps them apart", async () => {
      const { name } = await talk();
      const cleo = await hub.vip(`clara-${rooms}`);
      const { session_token: new_session_token } = newRoom();
      await copy(cleo, { ...name, new_session_token });
      const made = { soul_id: soul.soul_id, session_token: new_session_token };
      const query = `soul_id=${soul.soul_id}&session_token=${new_session_token}`;
      const { messages } = (await history(cleo, made)).body;
      const ban = { ...made, message_id: messages[0].id, state: "banned" };
      expect(failureOf(await cleo.put("/api/room-people", ban))).toEqual([400, "invalid_input"]);
      await say(cleo, made, "Go on.");
      const asked = hub.provider.requests.at(-1);
      expect(asked?.messages[0]?.content).toBe("[ada] Tabs?");
      expect(asked?.system).not.toContain("has left");
      const people = (await cleo.get(`/api/room-people?${query}`)).body.data;
      expect(people.map((one: { name: string }) => one.name)).toEqual([cleo.name]);
      const { share_id } = (await cleo.post("/api/shares", made)).body;
      const shown = (await read(share_id)).body.data.messages;
      expect(
        shown.flatMap((line: { role: string; sender_name: string }) =>
          line.role === "user" ? line.sender_name : [],
        ),
      ).toEqual(["Person 1", "Person 2", "Person 3"]);
    });

    it("copies the last 500 messages, and shows them to a listener of the new room", async () => {
      const { name } = await talk();
      const { id: room_id, head_id } = await roomRow(hub, name);
      const { db } = hub.hub.database;
      await sql`
        insert into chat_messages (id, room_id, prev_id, role, sender, sender_name, content)
        select ${head_id} + n, ${room_id}, ${head_id} + n - 1, 'user', 'guest:x', 'x', 'line ' || n
        from generate_series(1, 510) as n`.execute(db);
      await sql`update chat_rooms set head_id = head_id + 510 where id = ${room_id}`.execute(db);
      await sql`select setval('chat_messages_id_seq', (select max(id) from chat_messages))`.execute(
        db,
      );
      const made = newRoom();
      const listener = await signedIn(hub, `page-${rooms}`);
      expect((await sync(listener, made)).body.head).toBe(0);
      const { body } = await copy(ada, { ...name, new_session_token: made.session_token });
      expect(body.copied).toBe(500);
      const { messages } = (await history(ada, made, { limit: 500 })).body;
      expect([messages[0].content, messages.at(-1).content]).toEqual(["line 11", "line 510"]);
      expect((await sync(listener, made)).status).toBe(403);
    });

    it("copies the newest messages that have 2 million characters together", async () => {
      const { name, ids } = await talk();
      const { db } = hub.hub.database;
      await sql`update chat_messages set content = repeat('ä', 900000)
        where id in (${ids[1]}, ${ids[2]}, ${ids[3]})`.execute(db);
      const { body } = await copy(ben, { ...name, new_session_token: `${rooms}-long` });
      expect(body.copied).toBe(2);
    });

    it.each([
      ["nothing", {}],
      ["a share and a room", { share_id: "x", soul_id: 1, session_token: "x" }],
      ["a share and a message", { share_id: "x", to_id: 1 }],
      ["half a room", { soul_id: 1 }],
    ])("refuses %s", async (_, body) => {
      const answer = await copy(ada, { ...body, new_session_token: "x" });
      expect(failureOf(answer)).toEqual([400, "invalid_input"]);
    });

    it("is limited to 20 an hour", async () => {
      await using limited = await startTestHub({ config: { rateLimits: true } });
      const lim = await limited.vip("lim");
      const again = async () =>
        copy(lim, { soul_id: 1, session_token: "none", new_session_token: "x" });
      for (let n = 0; n < 20; n++) expect((await again()).status).toBe(404);
      const { status, headers } = await again();
      expect([status, headers.get("ratelimit-limit")]).toEqual([429, "20"]);
    });
  });
});
