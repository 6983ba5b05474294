import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { roomKey } from "../rows/room-key.ts";

/** Decisions §5, Moderation: the owner of a room mutes, bans and admits people. */
describeChat("moderation of a room", {}, (hub) => {
  let owner: Actor;
  let ben: Actor;
  let page: Actor;
  let guest: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    owner = await hub.vip("olga");
    ben = await hub.vip("ben");
    page = await signedIn(hub, "paul");
    guest = hub.guest();
    room = await openRoom(owner);
    // The first poll of a guest sets its cookie, and with it the id of its later calls.
    await sync(guest, room);
  });
  beforeEach(async () => {
    room = { ...room, session_token: `room-${++rooms}` };
    await say(owner, room, "Come in.");
    await hub.hub.database.db.deleteFrom("quota_days").execute();
    await hub.moveClock("0");
  });

  const set = (who: object, state: string, more: object = {}) =>
    owner.put("/api/room-people", { ...room, ...who, state, ...more });
  const people = async (): Promise<Record<string, unknown>[]> => {
    const { soul_id, session_token } = room;
    const { body } = await owner.get(
      `/api/room-people?soul_id=${soul_id}&session_token=${session_token}`,
    );
    return body.data;
  };
  const personOf = async (name: string) =>
    (await people()).find((person) => person.name === name) ?? {};
  /** Polls as the guest, which makes it present, and returns the token that names it. */
  const guestPerson = async () => {
    const { name } = (await sync(guest, room)).body.you;
    return { person: (await personOf(name)).person };
  };
  const input = () => `input=${encodeURIComponent(JSON.stringify(room))}`;
  const stream = async (actor: Actor) => {
    const headers = { accept: "text/event-stream" };
    return (await actor.get(`/trpc/rooms.live?${input()}`, headers)).text;
  };
  const banned = [403, "banned"];
  const muted = [403, "muted"];
  const private_session = [403, "private_session"];
  const enters = async (actor: Actor) => failureOf(await sync(actor, room));

  describe("banned", () => {
    it.each([
      ["a key", () => ben, async () => ({ username: "BEN" })],
      ["a session", () => page, async () => ({ username: "paul" })],
      ["a guest", () => guest, guestPerson],
    ])("refuses %s on every transport, and stores nothing", async (_, who, named) => {
      const actor = who();
      expect((await set(await named(), "banned")).status).toBe(200);
      const calls = hub.provider.requests.length;
      const message = (await history(owner, room)).body.messages[0].id as number;
      const answers: Answer[] = await Promise.all([
        sync(actor, room),
        sync(actor, room, { wait: 1 }),
        actor.get(`/trpc/rooms.sync?${input()}`),
        actor.get(`/trpc/rooms.get?${input()}`),
        actor.get(`/trpc/chat.history?${input()}`),
        actor.post("/trpc/rooms.typing", room),
        actor.post("/trpc/chat.react", { ...room, id: message, emoji: "👍", on: true }),
        sayOnPage(actor, room, "Hi."),
        ...(actor === guest
          ? []
          : [actor.post("/trpc/chat.edit", { ...room, id: message, content: "Hi." })]),
        ...(actor === ben ? [say(ben, room, "Hi."), history(ben, room)] : []),
      ]);
      for (const answer of answers) {
        expect(failureOf(answer)).toEqual(banned);
        expect(answer.text).not.toContain("Come in");
      }
      await using visitor = joinAs(hub, actor, room);
      await eventually(() => expect(visitor.endedBy).toBe("banned"));
      expect(visitor.events).toEqual([]);
      const heard = await stream(actor);
      expect(heard).toContain('"error":"banned"');
      expect(heard).not.toContain("Come in");
      expect(hub.provider.requests).toHaveLength(calls);
      expect((await history(owner, room)).body.messages).toHaveLength(2);
    });

    it("ends open subscriptions and a waiting poll at once, and those of nobody else", async () => {
      await sync(page, room);
      await using other = joinAs(hub, ben, room);
      await using socket = joinAs(hub, page, room);
      await eventually(() => {
        for (const visitor of [other, socket]) expect(visitor.types).toContain("sync");
      });
      const listening = stream(page);
      const { head } = (await sync(page, room)).body;
      const waiting = sync(page, room, { last_id: head, wait: 25 });
      await eventually(() => {
        expect(hub.hub.rooms.waits()).toHaveLength(1);
        expect(hub.hub.rooms.counts().sessions).toBe(4);
      });
      expect((await set({ username: "paul" }, "banned")).status).toBe(200);
      expect(failureOf(await waiting)).toEqual(banned);
      expect(await listening).toContain('"error":"banned"');
      await eventually(() => expect(socket.endedBy).toBe("banned"));
      const here = (await sync(owner, room)).body.participants;
      expect(here.map(({ name }: { name: string }) => name)).toEqual(["ben", "olga"]);
      await say(owner, room, "Who is left?");
      await eventually(() => expect(other.ids).toHaveLength(4));
      expect(socket.ids).toHaveLength(2);
    });

    it("ends the presence of a person that polls, at once", async () => {
      await sync(page, room);
      expect(await personOf("paul")).toMatchObject({ is_present: true });
      await set({ username: "paul" }, "banned");
      expect(await personOf("paul")).toMatchObject({ is_present: false });
      const { participants } = (await sync(owner, room)).body;
      expect(participants.map(({ name }: { name: string }) => name)).toEqual(["olga"]);
    });

    it("holds although a poll of another participant has filled the cache", async () => {
      for (const actor of [ben, page, ben, page]) await enters(actor);
      await eventually(() => expect(hub.hub.rooms.access(roomKey(room))).toBeDefined());
      await set({ username: "paul" }, "banned");
      expect(await enters(ben)).toEqual([200, undefined]);
      expect(await enters(page)).toEqual(banned);
      // The answer for ben is in memory: his poll reads no table, not even that of the soul.
      const read = hub.hub.souls.byId;
      hub.hub.souls.byId = () => Promise.reject(new Error("The soul was read."));
      expect(await enters(ben)).toEqual([200, undefined]);
      hub.hub.souls.byId = read;
      await set({ username: "paul" }, "none");
      expect(await enters(page)).toEqual([200, undefined]);
    });

    it("ends a reply that the person asked for, gives the unit back, and ends no other", async () => {
      const left = await remaining(page);
      const asked = hub.provider.requests.length;
      await using watcher = joinAs(hub, owner, room);
      await eventually(() => expect(watcher.types).toContain("sync"));
      const goOn = hub.provider.holdNext();
      const pending = sayOnPage(page, room, "What about me?");
      await hub.provider.received(asked + 1);
      await eventually(() => expect(watcher.of("asked")).toHaveLength(1));
      const [spoken] = watcher.of("asked");
      // A ban of somebody else leaves the reply alone.
      await set({ username: "ben" }, "banned");
      expect(watcher.of("reply-failed")).toEqual([]);
      await set({ username: "paul" }, "banned");
      // The model is still being called.
      expect(failureOf(await pending)).toEqual(banned);
      await eventually(() =>
        expect(watcher.of("reply-failed")).toMatchObject([
          { reply_id: spoken?.reply_id, error: "banned" },
        ]),
      );
      goOn();
      expect(await hub.provider.requests[asked]?.ended).toBe("cancelled");
      expect((await history(owner, room)).body.messages).toHaveLength(2);
      expect(await remaining(page)).toBe(left);
    });

    it("ends with its minutes, by the database clock", async () => {
      await set({ username: "paul" }, "banned", { minutes: 5 });
      expect(await enters(page)).toEqual(banned);
      const { until } = await personOf("paul");
      expect((await sync(page, room)).body.until).toBe(until);
      await hub.moveClock("4 minutes 50 seconds");
      expect(await enters(page)).toEqual(banned);
      await hub.moveClock("5 minutes 1 second");
      expect(await enters(page)).toEqual([200, undefined]);
      await using visitor = joinAs(hub, page, room);
      await eventually(() => expect(visitor.types).toContain("sync"));
      expect(await personOf("paul")).toMatchObject({ state: "none", until: null });
    });

    it("keeps out a guest without cookies wherever it comes from the same address", async () => {
      // Over a WebSocket no cookie can be set: the guest writes under its address and browser.
      const stranger = hub.guest();
      await using visitor = joinAs(hub, stranger, room);
      await eventually(() => expect(visitor.types).toContain("sync"));
      const { name } = visitor.of("sync")[0]?.you ?? {};
      await set({ person: (await personOf(String(name))).person }, "banned");
      await eventually(() => expect(visitor.endedBy).toBe("banned"));
      expect(await enters(hub.guest())).toEqual(banned);
      // A guest with a cookie is another participant.
      expect(await enters(guest)).toEqual([200, undefined]);
    });
  });

  describe("muted", () => {
    it("refuses to send, type, react and edit, and reads on", async () => {
      const own = await sayOnPage(page, room, "I was here.");
      const id = own.body.result.data.question_id as number;
      await using visitor = joinAs(hub, page, room);
      await eventually(() => expect(visitor.types).toContain("sync"));
      expect((await set({ message_id: id }, "muted")).status).toBe(200);
      const calls = hub.provider.requests.length;
      for (const answer of [
        await sayOnPage(page, room, "Hi."),
        await page.post("/trpc/rooms.typing", room),
        await page.post("/trpc/chat.react", { ...room, id, emoji: "👍", on: true }),
        await page.post("/trpc/chat.edit", { ...room, id, content: "I am here." }),
      ]) {
        expect(failureOf(answer)).toEqual(muted);
      }
      expect(hub.provider.requests).toHaveLength(calls);
      await say(owner, room, "Quiet, please.");
      await eventually(() => expect(visitor.ids).toHaveLength(6));
      expect((await sync(page, room)).body.new_messages).toHaveLength(6);
      const settings = (await page.get(`/trpc/rooms.get?${input()}`)).body.result.data.data;
      expect(settings).toMatchObject({ is_muted: true, muted_until: null, is_owner: false });
      // The sender of a message may remove it.
      const removed = await page.post("/trpc/chat.remove", { ...room, id });
      expect(removed.status).toBe(200);
    });

    it("ends with its minutes and with `none`", async () => {
      await set({ username: "paul" }, "muted", { minutes: 1 });
      expect(failureOf(await sayOnPage(page, room, "Hi."))).toEqual(muted);
      const settings = (await page.get(`/trpc/rooms.get?${input()}`)).body.result.data.data;
      expect(settings.muted_until).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      await hub.moveClock("61 seconds");
      expect((await sayOnPage(page, room, "Hi.")).status).toBe(200);
      await set({ username: "paul" }, "muted");
      await hub.moveClock("20 days");
      expect((await personOf("paul")).state).toBe("muted");
      await set({ username: "paul" }, "none");
      expect((await personOf("paul")).state).toBe("none");
    });
  });

  describe("member", () => {
    beforeEach(async () => {
      await say(owner, room, "Between us.", { is_private: true });
    });

    it("enters the private room on every transport", async () => {
      expect(await enters(ben)).toEqual(private_session);
      await set({ username: "ben" }, "member");
      await set({ username: "paul" }, "member");
      for (const actor of [ben, page]) {
        expect((await sync(actor, room)).body).toMatchObject({
          is_private: true,
          you: { is_owner: false },
        });
        expect((await actor.post("/trpc/rooms.typing", room)).status).toBe(200);
        await using visitor = joinAs(hub, actor, room);
        await eventually(() => expect(visitor.types).toContain("sync"));
        expect((await sayOnPage(actor, room, "Thanks.")).status).toBe(200);
      }
      // The page of a private room sends `is_private` with each message.
      const said = await say(ben, room, "Still between us.", { is_private: true });
      expect(said.status).toBe(200);
      expect((await history(ben, room)).body.messages).toHaveLength(10);
      expect(await enters(guest)).toEqual(private_session);
    });

    it.each([
      ["none", "private_session"],
      ["banned", "banned"],
    ])("ends at once with `%s`", async (state, code) => {
      await set({ username: "paul" }, "member");
      await using visitor = joinAs(hub, page, room);
      await eventually(() => expect(visitor.types).toContain("sync"));
      await set({ username: "paul" }, state);
      await eventually(() => expect(visitor.endedBy).toBe(code));
      expect(await enters(page)).toEqual([403, code]);
      await set({ username: "paul" }, "none");
      expect(await enters(page)).toEqual(private_session);
    });

    it("stays a member while muted", async () => {
      await set({ username: "paul" }, "member");
      await set({ username: "paul" }, "muted");
      expect(await enters(page)).toEqual([200, undefined]);
      expect(await personOf("paul")).toMatchObject({ state: "muted", is_member: true });
      await set({ username: "paul" }, "member");
      expect((await sayOnPage(page, room, "Thanks.")).status).toBe(200);
    });

    it("is an account", async () => {
      const other = { ...room, session_token: `public-${rooms}` };
      await say(owner, other, "Come in.");
      room = other;
      const { status, body } = await set(await guestPerson(), "member");
      expect([status, body.details[0].field]).toEqual([400, "person"]);
    });
  });

  it("lists who wrote, who is present and who has a state", async () => {
    await sayOnPage(page, room, "Good evening.");
    await set({ username: "ben" }, "banned", { minutes: 60 });
    const { name } = (await sync(guest, room)).body.you;
    const listed = await people();
    const { body } = await history(owner, room);
    const ids = body.messages.map(({ id }: { id: number }) => id);
    expect(listed.map(({ person: _, ...rest }) => rest)).toEqual([
      {
        ...nobody,
        name: "ben",
        kind: "member",
        state: "banned",
        until: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      },
      { ...nobody, name: "paul", kind: "member", last_id: ids[2] },
      { ...nobody, name: "olga", kind: "member", last_id: ids[0], is_owner: true },
      { ...nobody, name, kind: "guest", is_present: true, since_id: ids[3] },
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/account:|guest:/);
  });

  it("names each person by the same token in every answer, and by another in another room", async () => {
    await sayOnPage(page, room, "Good evening.");
    await sync(guest, room);
    const tokens = async () => (await people()).map(({ name, person }) => [name, person]);
    const listed = await tokens();
    expect(await tokens()).toEqual(listed);
    await set({ person: Object.fromEntries(listed).paul }, "muted");
    expect(Object.fromEntries(await tokens())).toEqual(Object.fromEntries(listed));
    const { session_token } = room;
    room = { ...room, session_token: `${session_token}-b` };
    await say(owner, room, "Come in.");
    await sayOnPage(page, room, "Good evening.");
    for (const person of ["", Object.fromEntries(listed).paul]) {
      const { status, body } = await set({ person }, "muted");
      expect([status, body.details[0].field]).toEqual([400, "person"]);
    }
    const elsewhere = Object.fromEntries(await tokens());
    expect(elsewhere.paul).toBeDefined();
    expect(elsewhere.paul).not.toBe(Object.fromEntries(listed).paul);
    expect(JSON.stringify(listed)).not.toMatch(/account|guest:/);
  });

  it("can name the sender of a removed message", async () => {
    const said = await sayOnPage(page, room, "Buy now!");
    const id = said.body.result.data.question_id as number;
    const { soul_id, session_token } = room;
    const query = `soul_id=${soul_id}&session_token=${session_token}&id=${id}`;
    expect((await owner.delete(`/api/message?${query}`)).status).toBe(200);
    expect((await set({ message_id: id }, "banned")).status).toBe(200);
    expect(await enters(page)).toEqual(banned);
  });
});

const nobody = {
  state: "none",
  is_member: false,
  until: null,
  is_owner: false,
  is_present: false,
  since_id: null,
  last_id: null,
};
