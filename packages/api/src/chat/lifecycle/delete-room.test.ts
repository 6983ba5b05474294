import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Actor, createActor } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  signedIn,
  startChatHub,
  sync,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { everyText } from "../../testing/every-text.ts";
import { joinAs, type Visitor } from "../../testing/live-visitor.ts";
import { startTwoServers } from "../../testing/two-servers.ts";

interface Servers {
  one: ChatHub;
  two: ChatHub;
  close(): Promise<unknown>;
}

const startOne = async (): Promise<Servers> => {
  const hub = await startChatHub();
  return { one: hub, two: hub, close: hub.close };
};
const setups: [string, () => Promise<Servers>][] = [["one server", startOne]];
const { postgres, redis } = inject("services");
if (postgres && redis) {
  setups.push(["two servers, postgresql and redis", () => startTwoServers("postgresql")]);
}

const synced = (visitor: Visitor, syncs = 1) =>
  eventually(() => expect(visitor.of("sync")).toHaveLength(syncs));

/** The owner deletes the room on server `one`; listeners are connected to server `two`. */
describe.each(setups)("DELETE /api/room (%s)", (_, start) => {
  let servers: Servers;
  let one: ChatHub;
  let two: ChatHub;
  let vera: Actor;
  let ben: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    servers = await start();
    ({ one, two } = servers);
    vera = await one.vip("vera");
    ben = await one.vip("ben");
    room = await openRoom(vera);
  });
  afterAll(() => servers.close());
  beforeEach(() => {
    room = { ...room, session_token: `room-${++rooms}` };
  });

  /** Returns the same actor as a client of server `two`. */
  const there = ({ name, apiKey }: Actor) => createActor({ name, apiKey, baseUrl: () => two.url });
  const remove = (actor = vera, { soul_id, session_token } = room) =>
    actor.delete(`/api/room?soul_id=${soul_id}&session_token=${session_token}`);
  const rowsOf = async (table: "chat_rooms" | "chat_messages" | "room_people" | "room_shares") =>
    (await one.hub.database.db.selectFrom(table).selectAll().execute()).length;

  it("leaves the room as before its first message", async () => {
    const before = [await rowsOf("chat_rooms"), await rowsOf("chat_messages")];
    const { message_id } = (await say(vera, room, "The key is under the doormat.")).body;
    await vera.put("/api/reaction", { ...room, id: message_id, emoji: "👍", on: true });
    await vera.put("/api/seen", { ...room, id: message_id });
    const { share_id } = (await vera.post("/api/shares", room)).body;
    expect((await remove()).status).toBe(200);
    expect([await rowsOf("chat_rooms"), await rowsOf("chat_messages")]).toEqual(before);
    expect([await rowsOf("room_people"), await rowsOf("room_shares")]).toEqual([0, 0]);
    expect((await vera.get(`/api/share/${share_id}`)).status).toBe(404);
    expect((await history(vera, room)).body.messages).toEqual([]);
    const texts = await everyText(one.hub.database);
    expect(texts.filter(({ text }) => text.includes("doormat"))).toEqual([]);

    expect((await remove()).status).toBe(200);
    expect(failureOf(await remove(ben))).toEqual([404, "room_not_found"]);
    expect((await say(vera, room, "Anew.")).status).toBe(200);
    expect((await sync(ben, room)).body.new_messages).toHaveLength(2);
  });

  it("is for the room's owner, also if the owner may no longer use the soul", async () => {
    const other = await openRoom(ben);
    await say(vera, other, "Hello.");
    expect(failureOf(await remove(ben, other))).toEqual([403, "not_owner"]);
    await ben.put(`/api/soul/${other.soul_id}`, { is_public: 0 });
    expect((await remove(vera, other)).status).toBe(200);
    expect(failureOf(await remove(vera, other))).toEqual([404, "soul_not_found"]);
  });

  it("sends the owner's listeners a new sync event, and then the messages of the new log", async () => {
    await say(vera, room, "Good evening.");
    await using visitor = joinAs(two, there(vera), room);
    await synced(visitor);
    await remove();
    await synced(visitor, 2);
    expect(visitor.of("sync")[1]).toMatchObject({ recovered: false, head: 0, revision: 0 });
    expect(visitor.of("sync")[1]?.you).toMatchObject({ is_owner: false });
    expect(visitor.online).toBe(1);
    await say(vera, room, "Anybody?");
    await eventually(() => expect(visitor.ids).toHaveLength(4));
    expect(visitor.of("message")[2]).toMatchObject({ prev_id: 0, content: "Anybody?" });
    expect(visitor.endedBy).toBeUndefined();
    expect((await sync(there(vera), room)).body.you.is_owner).toBe(true);
  });

  it("ends the subscriptions of everybody else", async () => {
    await say(vera, room, "Good evening.");
    await using visitor = joinAs(two, there(ben), room);
    await synced(visitor);
    await remove();
    await eventually(() => expect(visitor.endedBy).toBe("room_not_found"));
    await say(vera, room, "Just me.");
    expect(JSON.stringify(visitor.events)).not.toContain("Just me.");
  });

  it("ends waiting polls, and answers cursors of the deleted log as unknown", async () => {
    await say(vera, room, "Good evening.");
    await vera.put("/api/room", { ...room, title: "Evening" });
    const poller = there(vera);
    const { head: last_id, revision } = (await sync(poller, room, { revision: 0 })).body;
    const waiting = sync(poller, room, { last_id, wait: 25 });
    const stranger = sync(there(ben), room, { last_id, wait: 25 });
    await eventually(() => expect(two.hub.rooms.waits()).toHaveLength(2));
    await remove();
    expect(failureOf(await stranger)).toEqual([404, "room_not_found"]);
    const unknown = { recovered: false, head: 0, new_messages: [] };
    expect((await waiting).body).toMatchObject(unknown);
    expect((await sync(poller, room, { last_id })).body).toMatchObject(unknown);
    expect((await sync(poller, room, { last_id: 0, revision })).body.recovered).toBe(false);

    const { message_id } = (await say(vera, room, "Anew.")).body;
    await eventually(async () =>
      expect((await sync(poller, room, { last_id })).body).toMatchObject({
        recovered: false,
        head: message_id,
        new_messages: [{ content: "Anew." }, {}],
      }),
    );
    expect((await sync(poller, room, { last_id: message_id })).body.recovered).toBe(true);
    await using returning = joinAs(two, poller, { ...room, last_id });
    await synced(returning);
    expect(returning.of("sync")[0]).toMatchObject({ recovered: false, head: message_id });
    expect(returning.ids).toHaveLength(2);
  });

  it("cancels a reply in progress on every server, and refunds its units", async () => {
    await say(vera, room, "Good evening.");
    const page = await signedIn(two, `page-${rooms}`);
    await using visitor = joinAs(two, page, room);
    await synced(visitor);
    const goOn = two.provider.holdNext();
    const asked = sayOnPage(page, room, "Is it dark?");
    await eventually(() => expect(visitor.of("asked")).toHaveLength(1));
    await remove();
    expect(failureOf(await asked)).toEqual([409, "cancelled"]);
    goOn();
    await eventually(() => expect(visitor.endedBy).toBe("room_not_found"));
    await eventually(() => expect(two.hub.rooms.counts().replies).toBe(0));
    const { result } = (await page.get("/trpc/chat.quota")).body;
    expect(result.data.quota.daily_remaining).toBe(20);
    expect((await history(vera, room)).body.messages).toEqual([]);
  });

  it("lets no reply that is being stored begin the room anew", async () => {
    await say(vera, room, "Good evening.");
    const before = await remaining(vera);
    const { storing } = one.hub;
    const run = storing.run.bind(storing);
    storing.run = async (work, ...rest) => {
      storing.run = run;
      await remove();
      return run(work, ...rest);
    };
    expect(failureOf(await say(vera, room, "Is it dark?"))).toEqual([409, "cancelled"]);
    expect((await history(vera, room)).body.messages).toEqual([]);
    expect(await remaining(vera)).toBe(before);
  });

  it("lets no reply that is being stored into a room that was begun anew", async () => {
    await say(vera, room, "Good evening.");
    const { storing } = one.hub;
    const run = storing.run.bind(storing);
    storing.run = async (work, ...rest) => {
      storing.run = run;
      await remove();
      expect((await say(vera, room, "A new conversation.")).status).toBe(200);
      return run(work, ...rest);
    };
    expect(failureOf(await say(vera, room, "Is it dark?"))).toEqual([409, "cancelled"]);
    const { messages } = (await history(vera, room)).body;
    expect(messages.map(({ content }: { content: string }) => content)).toEqual([
      "A new conversation.",
      expect.any(String),
    ]);
  });

  it("lets no private first message that is being stored begin a public room", async () => {
    const { storing } = one.hub;
    const run = storing.run.bind(storing);
    storing.run = async (work, ...rest) => {
      storing.run = run;
      await remove();
      return run(work, ...rest);
    };
    const asked = await say(vera, room, "Between us.", { is_private: true });
    expect(failureOf(asked)).toEqual([409, "cancelled"]);
    expect((await history(vera, room)).body.messages).toEqual([]);
  });

  it("lets no private first message into a public room that was begun meanwhile", async () => {
    const { storing } = one.hub;
    const run = storing.run.bind(storing);
    storing.run = async (work, ...rest) => {
      storing.run = run;
      await remove();
      expect((await say(vera, room, "For everybody.")).status).toBe(200);
      return run(work, ...rest);
    };
    const asked = await say(vera, room, "Between us.", { is_private: true });
    expect(failureOf(asked)).toEqual([409, "cancelled"]);
    expect((await history(ben, room)).body.messages).toHaveLength(2);
  });

  describe("lets no line that is being stored", () => {
    const line = { content: "Is it dark?" };
    const unanswered: [string, string, object][] = [
      ["without a reply", "/api/say", line],
      ["that names no soul", "/api/chat", line],
      ["that makes the room private", "/api/chat", { ...line, is_private: true }],
    ];
    beforeEach(async () => {
      await say(vera, room, "Good evening.");
      await vera.put("/api/room", { ...room, answers: "addressed" });
    });
    /** Does something between the admission of the next line and its storage. */
    const before = (work: () => Promise<unknown>) => {
      const { rateLimits } = one.hub;
      one.hub.rateLimits = async (rule) => {
        if (rule !== "say") return;
        one.hub.rateLimits = rateLimits;
        await work();
      };
    };

    it.each(unanswered)("%s begin the room anew", async (_, path, message) => {
      const rowsBefore = (await rowsOf("chat_rooms")) - 1;
      before(remove);
      const said = await vera.post(path, { ...room, ...message });
      expect(failureOf(said)).toEqual([409, "cancelled"]);
      expect((await history(vera, room)).body.messages).toEqual([]);
      expect(await rowsOf("chat_rooms")).toBe(rowsBefore);
    });

    it.each(unanswered)("%s into a room that was begun anew", async (_, path, message) => {
      before(async () => {
        await remove();
        expect((await say(vera, room, "A new conversation.")).status).toBe(200);
      });
      const said = await vera.post(path, { ...room, ...message });
      expect(failureOf(said)).toEqual([409, "cancelled"]);
      expect((await history(vera, room)).body.messages).toHaveLength(2);
    });
  });

  it("begins no room anew, however much another person says at that moment", async () => {
    const elsewhere = there(ben);
    for (let round = 0; round < 4; round++) {
      room = { ...room, session_token: `crowded-${++rooms}` };
      await say(vera, room, "Good evening.");
      const lines = Array.from({ length: 1_000 }, (_, n) =>
        (n % 2 ? ben : elsewhere).post("/api/say", { ...room, content: `Line ${n}.` }),
      );
      // Some lines are there already, and some are still under way.
      await Promise.race(lines);
      const deleted = await remove();
      const outcomes = new Set(
        (await Promise.all(lines)).map(({ status, body }) => body.error ?? status),
      );
      expect(deleted.status).toBe(200);
      expect([200, "cancelled", "room_not_found"]).toEqual(expect.arrayContaining([...outcomes]));
      expect(failureOf(await history(ben, room))).toEqual([404, "room_not_found"]);
      expect((await history(vera, room)).body.messages).toEqual([]);
    }
  });

  it("is answered by a repeated Idempotency-Key as a removal", async () => {
    const once = { "idempotency-key": `once-${rooms}` };
    const question = { ...room, content: "Good evening." };
    await vera.post("/api/chat", question, once);
    await remove();
    const { body } = await vera.post("/api/chat", question, once);
    expect(body).toMatchObject({ success: true, reply: "[removed]", removed: true });
  });
});
