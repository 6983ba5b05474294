import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  say,
  startChatHub,
  sync,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { startTwoServers } from "../../testing/two-servers.ts";

/** Two servers of one hub. Calls that change the room go to `one`, waiting calls go to `two`. */
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

/** Decisions §5: `GET /api/chat-sync?wait=`. */
describe.each(setups)("chat-sync with wait (%s)", (_, start) => {
  let servers: Servers;
  let one: ChatHub;
  let two: ChatHub;
  let vera: Actor;
  let guest: Actor;
  let room: RoomName;
  let last_id: number;
  let rooms = 0;

  beforeAll(async () => {
    servers = await start();
    ({ one, two } = servers);
    vera = await one.vip("vera");
  });
  afterAll(() => servers.close());
  beforeEach(async () => {
    room = { ...(await openRoom(vera)), session_token: `room-${++rooms}` };
    await say(vera, room, "Good evening.");
    guest = two.guest();
    // The first answer sets the cookie that identifies the guest.
    last_id = (await sync(guest, room)).body.head;
  });

  const waiting = () => two.hub.rooms.waits().length;
  const nextWait = (actor: Actor, more: object = {}): Promise<Answer> =>
    sync(actor, room, { last_id, wait: 25, ...more });
  /** Starts a chat-sync call and resolves when the server counts it as waiting. */
  async function startWait(actor: Actor, more: object = {}): Promise<{ answer: Promise<Answer> }> {
    const before = waiting();
    const answer = nextWait(actor, more);
    await eventually(() => expect(waiting()).toBe(before + 1));
    return { answer };
  }

  /**
   * Opens a waiting chat-sync call for each of the guest's clients, then starts a reply. The start
   * of the reply ends these calls.
   * @returns `fail`, which cancels the reply
   */
  async function startReply({ clients = 1 } = {}) {
    const begins = [];
    while (begins.length < clients) begins.push((await startWait(guest)).answer);
    const goOn = one.provider.holdNext();
    const sent = say(vera, room, "Is it dark?");
    const [answer] = await Promise.all(begins);
    const [reply] = answer?.body.replies ?? [];
    const fail = async () => {
      await vera.post("/trpc/chat.cancel", { reply_id: reply.reply_id });
      goOn();
      expect((await sent).body.error).toBe("cancelled");
      await eventually(() => expect(two.hub.rooms.counts().replies).toBe(0));
    };
    return { fail };
  }

  /**
   * Makes the guest's next chat-sync call. Returns the replies in the answer, or a text that says
   * that the call waits.
   */
  const repliesAtOnce = () => {
    const answered = nextWait(guest).then(({ body }) => body.replies);
    const waited = eventually(() => expect(waiting()).toBe(1)).then(() => "the call waits");
    return Promise.race([answered, waited]);
  };

  it.each([0, 26, -1, 1.5, "x", ""])("refuses wait=%s", async (wait) => {
    const { status, body } = await nextWait(guest, { wait });
    expect([status, body.error]).toEqual([400, "invalid_input"]);
    expect(body.details[0].field).toBe("wait");
  });

  it("answers at once with messages that the client does not have", async () => {
    const { body } = await nextWait(guest, { last_id: 0 });
    expect(body.new_messages).toHaveLength(2);
  });

  it("answers at once with older messages and to an unknown last_id", async () => {
    expect((await nextWait(guest, { before_id: last_id })).body.new_messages).toHaveLength(1);
    expect((await nextWait(guest, { last_id: last_id + 1_000_000 })).body.recovered).toBe(false);
  });

  it("answers when the time is over, and asks no table meanwhile", async () => {
    const { db } = two.hub.database;
    await sync(guest, room, { last_id });
    await eventually(() => expect(two.hub.rooms.counts().subscriptions).toBeGreaterThan(0));
    await sync(guest, room, { last_id });
    // While the soul is private in the table, a call that reads the table fails.
    const setPublic = (is_public: number) =>
      db.updateTable("souls").set({ is_public }).where("id", "=", room.soul_id).execute();
    await setPublic(0);
    const { status, body } = await nextWait(guest, { wait: 1 });
    await setPublic(1);
    expect([status, body.new_messages, body.head]).toEqual([200, [], last_id]);
  });

  it("answers when a reply begins and when its messages arrive, not for its pieces", async () => {
    const begins = await startWait(guest);
    const goOn = one.provider.holdNext();
    const sent = say(vera, room, "Is it dark?");
    const { body } = await begins.answer;
    expect(body).toMatchObject({ new_messages: [], replies: [{ content: "Is it dark?" }] });
    const ends = await startWait(guest);
    goOn();
    await sent;
    expect((await ends.answer).body).toMatchObject({ new_messages: [{}, {}], recovered: true });
  });

  it("answers when a reply fails", async () => {
    const { fail } = await startReply();
    const fails = await startWait(guest);
    await fail();
    expect((await fails.answer).body).toMatchObject({ replies: [], new_messages: [] });
  });

  it("answers the next call at once if a reply failed between two calls", async () => {
    const { fail } = await startReply();
    await fail();
    expect(await repliesAtOnce()).toEqual([]);
  });

  it("answers both clients of a participant if a reply failed while only one waited", async () => {
    const { fail } = await startReply({ clients: 2 });
    const first = await startWait(guest);
    await fail();
    expect((await first.answer).body.replies).toEqual([]);
    expect(await repliesAtOnce()).toEqual([]);
  });

  it("takes no news from a waiting client for a call without wait", async () => {
    const { fail } = await startReply();
    await fail();
    await sync(guest, room, { last_id });
    expect(await repliesAtOnce()).toEqual([]);
  });

  it("answers when a participant joins, and counts the waiting caller as present", async () => {
    const call = await startWait(guest);
    const other = await one.vip(`joiner${rooms}`);
    await sync(other, room, { last_id });
    const { body } = await call.answer;
    expect(body.participants).toContainEqual(
      expect.objectContaining({ name: other.name, kind: "member" }),
    );
    expect((await sync(other, room)).body.online_count).toBe(2);
  });

  it("holds 2 calls of a participant, and answers a third at once", async () => {
    const first = await startWait(guest);
    const second = await startWait(guest);
    const third = await nextWait(guest);
    expect([third.status, third.body.new_messages]).toEqual([200, []]);
    expect(waiting()).toBe(2);
    const other = two.guest();
    await sync(other, room, { last_id });
    await Promise.all([first.answer, second.answer]);
  });

  it.each([
    ["the room turns private", 403, () => say(vera, room, "Just us.", { is_private: true })],
    ["its soul is hidden", 404, () => vera.put(`/api/soul/${room.soul_id}`, { is_public: 0 })],
    ["its soul is deleted", 404, () => vera.delete(`/api/soul/${room.soul_id}`)],
  ])("ends with the failure when %s", async (_case, status, close) => {
    const call = await startWait(guest);
    await close();
    expect((await call.answer).status).toBe(status);
  });

  it("ends with 403 if the room turns private between the check and the answer", async () => {
    const { pollSession } = two.hub.rooms;
    using _spy = vi
      .spyOn(two.hub.rooms, "pollSession")
      .mockImplementationOnce(async (roomKey, participant) => {
        const session = await pollSession(roomKey, participant);
        await say(vera, room, "Just us.", { is_private: true });
        await eventually(() => expect(session?.needsRecheck).toBe(true));
        return session;
      });
    const { status, text } = await nextWait(guest);
    expect(status).toBe(403);
    expect(text).not.toContain("Just us.");
  });

  it("ends with 401 when the key is revoked", async () => {
    const kim = await two.vip(`kim${rooms}`);
    await sync(kim, room);
    const call = await startWait(kim);
    await kim.post("/api/api-key/rotate");
    expect((await call.answer).status).toBe(401);
  });

  it("goes on when another participant's right is checked", async () => {
    const call = await startWait(guest, { wait: 2 });
    two.hub.rooms.recheckAll({ roomPrefixes: [`${room.soul_id}/`] });
    await eventually(() => expect(waiting()).toBe(1));
    expect((await call.answer).status).toBe(200);
  });

  it("frees the wait of a client that disconnects", async () => {
    const query = new URLSearchParams({ ...room, last_id, wait: 25 } as never);
    const client = new AbortController();
    const cookie = [...guest.cookies].map((pair) => pair.join("=")).join("; ");
    const call = fetch(`${two.url}/api/chat-sync?${query}`, {
      headers: { cookie },
      signal: client.signal,
    });
    await eventually(() => expect(waiting()).toBe(1));
    client.abort();
    await expect(call).rejects.toThrow();
    await eventually(() => expect(waiting()).toBe(0));
  });

  it("waits through tRPC as well", async () => {
    const input = encodeURIComponent(JSON.stringify({ ...room, last_id, wait: 1 }));
    const { status, body } = await guest.get(`/trpc/rooms.sync?input=${input}`);
    expect([status, body.result.data.new_messages]).toEqual([200, []]);
    const wrong = encodeURIComponent(JSON.stringify({ ...room, wait: 26 }));
    expect((await guest.get(`/trpc/rooms.sync?input=${wrong}`)).status).toBe(400);
  });

  it("answers every waiting call with 200 when the server drains", async () => {
    const other = two.guest();
    await sync(other, room);
    const first = await startWait(guest);
    const second = await startWait(other);
    const drained = two.hub.drain();
    expect((await first.answer).status).toBe(200);
    expect((await second.answer).status).toBe(200);
    await drained;
    expect(two.hub.rooms.waits()).toEqual([]);
  });
});
