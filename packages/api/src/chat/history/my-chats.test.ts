import { beforeAll, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  failureOf,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { roomKey, sealSessionToken, splitRoomKey } from "../rows/room-key.ts";

describeChat("GET /api/my-chats", {}, (hub) => {
  let author: Actor;
  let soul: RoomName;
  let people = 0;
  beforeAll(async () => {
    author = await hub.vip("author");
    soul = await openRoom(author);
  });

  const newcomer = () => hub.vip(`person-${++people}`);
  const room = (session_token: string, { soul_id } = soul) => ({ soul_id, session_token });
  const chats = async (actor: Actor) => (await actor.get("/api/my-chats")).body.sessions;
  const tokens = async (actor: Actor): Promise<string[]> =>
    (await chats(actor)).map(({ session_token }: RoomName) => session_token);
  const tokenHash = (token: string) => splitRoomKey(roomKey(room(token))).tokenHash;
  const participant = async ({ name }: Actor) => {
    const { id } = await hub.hub.database.db
      .selectFrom("accounts")
      .select("id")
      .where("username", "=", name)
      .executeTakeFirstOrThrow();
    return `account:${id}`;
  };

  it("lists rooms that the caller has written in, with token and summary", async () => {
    const person = await newcomer();
    await say(person, room("my-room.1:a"), "Hello.");
    const { status, body } = await person.get("/api/my-chats");
    const session = {
      session_token: "my-room.1:a",
      soul_id: soul.soul_id,
      soul_title: expect.any(String),
      is_private: false,
      is_owner: true,
      is_member: false,
      summary: "",
      last_updated: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      title: "Hello.",
      last_message: { id: expect.any(Number), sender_name: "Orla", content: expect.any(String) },
      unread: 1,
      mentions: 0,
      others_online: [],
    };
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, sessions: [session], unchecked_count: 0 });
    await hub.hub.database.db
      .updateTable("chat_rooms")
      .set({ summary: "They said hello." })
      .where("owner", "=", await participant(person))
      .execute();
    expect(await chats(person)).toEqual([{ ...session, summary: "They said hello." }]);
  });

  it("leaves out and counts a room whose token cannot be decrypted", async () => {
    const person = await newcomer();
    await say(person, room(`good-${person.name}`), "Hello.");
    await say(person, room(`lost-${person.name}`), "Hello.");
    await hub.hub.database.db
      .updateTable("chat_rooms")
      .set({ token_sealed: "v1.gone.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA" })
      .where("token_hash", "=", tokenHash(`lost-${person.name}`))
      .execute();
    const { status, body } = await person.get("/api/my-chats");
    expect([status, body.unchecked_count]).toEqual([200, 1]);
    expect(body.sessions).toMatchObject([{ session_token: `good-${person.name}` }]);
    expect(hub.log.join("")).toContain("a stored session token cannot be decrypted");
  });

  it("orders rooms by their latest message", async () => {
    const person = await newcomer();
    for (const [minutes, token] of ["old", "middle", "old", "new", "middle"].entries()) {
      await hub.moveClock(`${minutes} minutes`);
      await say(person, room(`${token}-${person.name}`), "Hello.");
    }
    await hub.moveClock("0");
    expect(await tokens(person)).toEqual(
      ["middle", "new", "old"].map((t) => `${t}-${person.name}`),
    );
  });

  it("lists another account's room once the caller has written in it", async () => {
    const [owner, other] = [await newcomer(), await newcomer()];
    await say(owner, room("shared"), "Come in.");
    expect(await tokens(other)).toEqual([]);
    await say(other, room("shared"), "Thank you.");
    expect(await tokens(other)).toEqual(["shared"]);
    expect(await tokens(owner)).toEqual(["shared"]);
  });

  it("names the other people who are in each room now", async () => {
    const [owner, other] = [await newcomer(), await newcomer()];
    for (const token of ["visited", "empty"]) {
      const name = room(`${token}-${owner.name}`);
      await say(owner, name, "Come in.");
      if (token === "empty") continue;
      for (const actor of [owner, other]) await sync(actor, name);
    }
    const online = (await chats(owner)).map(
      (session: { others_online: string[] }) => session.others_online,
    );
    expect(online.sort()).toEqual([[], [other.name]]);
  });

  const hide = async (actor: Actor, name: RoomName, hidden = true) => {
    const { body } = await actor.put("/api/my-chats", { ...name, hidden });
    expect(body).toMatchObject({ success: true, hidden });
  };

  it("leaves out a hidden room, until the caller is mentioned or writes there", async () => {
    const [owner, other] = [await newcomer(), await newcomer()];
    const name = room(`hidden-${owner.name}`);
    const isListed = async (actor = owner) => (await tokens(actor)).includes(name.session_token);
    await say(owner, name, "Come in.");
    await say(other, name, `Thank you, @${owner.name}.`);
    await hide(owner, name);
    await say(other, name, "Is anybody here?");
    expect([await isListed(), await isListed(other)]).toEqual([false, true]);
    const { message_id: id } = (await say(other, name, `@${owner.name}, are you?`)).body;
    expect(await isListed()).toBe(true);
    await owner.put("/api/seen", { ...name, id });
    expect(await isListed()).toBe(true);

    await hide(owner, name);
    expect(await isListed()).toBe(false);
    await say(owner, name, "I am back.");
    expect(await isListed()).toBe(true);

    await hide(owner, name);
    await hide(owner, name, false);
    expect(await isListed()).toBe(true);
    const page = await signedIn(hub, "hides-on-page");
    await sayOnPage(page, room("hidden-on-page"), "Hello.");
    await page.post("/trpc/chat.correctSummary", { ...room("hidden-on-page"), hidden: true });
    const { body } = await page.get("/trpc/chat.sessions");
    expect(body.result.data.sessions).toEqual([]);
  });

  it("a member that hides a private room leaves it, and may join again", async () => {
    const [owner, member] = [await newcomer(), await newcomer()];
    const name = room(`left-${owner.name}`);
    await say(owner, name, "Only us.", { is_private: true });
    const { body } = await owner.post("/api/room-invites", { ...name, uses: 2, days: 1 });
    const join = () => member.post("/api/room-join", { invite: body.invite });
    await join();
    expect(await chats(member)).toMatchObject([{ is_member: true, unread: 0 }]);
    await hide(member, name);
    expect(await chats(member)).toEqual([]);
    expect(failureOf(await sync(member, name))).toEqual([403, "private_session"]);
    await join();
    expect(await chats(member)).toMatchObject([{ is_member: true }]);
  });

  it("leaves out rooms that the caller may no longer enter", async () => {
    const [owner, other] = [await newcomer(), await newcomer()];
    await say(owner, room("turns-private"), "Come in.");
    await say(other, room("turns-private"), "Thank you.");
    await say(owner, room("turns-private"), "Out.", { is_private: true });
    expect(await tokens(other)).toEqual([]);
    expect(await tokens(owner)).toEqual(["turns-private"]);
  });

  it("keeps rooms of a soul that was turned private, then deleted", async () => {
    const [owner, other] = [await newcomer(), await newcomer()];
    const hidden = await openRoom(owner);
    await say(owner, hidden, "Mine.");
    await say(other, hidden, "Yours.");
    await owner.put(`/api/soul/${hidden.soul_id}`, { is_public: 0 });
    for (const person of [owner, other]) {
      expect(await tokens(person)).toEqual([hidden.session_token]);
    }
    await owner.delete(`/api/soul/${hidden.soul_id}`);
    for (const person of [owner, other]) {
      expect(await tokens(person)).toEqual([hidden.session_token]);
    }
  });

  it("leaves out a room whose first message failed", async () => {
    const person = await newcomer();
    hub.provider.failNext({ status: 400 });
    await say(person, room("never-began"), "Hello?", { is_private: true });
    expect(await tokens(person)).toEqual([]);
  });

  it("leaves out rooms of guests and other accounts", async () => {
    const [person, other] = [await newcomer(), await newcomer()];
    await say(other, room("elsewhere"), "Hello.");
    await sayOnPage(hub.guest(), room("a guest's"), "Hello.");
    expect(await tokens(person)).toEqual([]);
  });

  it("lists at most 200 rooms, the latest", async () => {
    const person = await newcomer();
    const owner = await participant(person);
    const bulk = Array.from({ length: 201 }, (_, n) => ({
      soul_id: soul.soul_id,
      token_hash: `bulk-${n}`,
      token_sealed: sealSessionToken(hub.hub.vault, room(`bulk-${n}`)),
      owner,
      head_id: 1,
    }));
    await hub.hub.database.db.insertInto("chat_rooms").values(bulk).execute();
    const listed = await tokens(person);
    expect([listed.length, listed[0], listed.at(-1)]).toEqual([200, "bulk-200", "bulk-1"]);
  });

  it("requires a key, but no pass", async () => {
    const free = await hub.member("free");
    const page = await signedIn(hub, "on-page");
    await sayOnPage(page, room("on-page"), "Hello.");
    expect((await hub.guest().get("/api/my-chats")).status).toBe(401);
    expect((await page.get("/api/my-chats")).status).toBe(401);
    expect((await free.get("/api/my-chats")).body.sessions).toEqual([]);
    const { status, body } = await page.get("/trpc/chat.sessions");
    expect([status, body.result.data.sessions[0].session_token]).toEqual([200, "on-page"]);
  });
});
