import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Actor, createActor } from "../../testing/actor.ts";
import {
  type ChatHub,
  history,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs, type Visitor } from "../../testing/live-visitor.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { startTwoServers, type TwoServers } from "../../testing/two-servers.ts";

const { redis } = inject("services");

const synced = (...visitors: Visitor[]) =>
  eventually(() => {
    for (const visitor of visitors) expect(visitor.types).toContain("sync");
  });
const textOf = (visitor: Visitor, start = "") => {
  let text = start;
  for (const delta of visitor.of("reply-delta")) {
    expect(delta.offset).toBe(text.length);
    text += delta.text;
  }
  return text;
};

/**
 * Any server handles any call, and the clients of one room may be connected to different servers.
 */
describe.skipIf(!redis)("one room on two servers", () => {
  const database = ruleDatabase();
  let servers: TwoServers;
  let one: ChatHub;
  let two: ChatHub;
  let ada: Actor;
  let ben: Actor;
  let room: RoomName;
  let rooms = 0;
  /** Returns the same actor, with its key and cookies, as a client of the given server. */
  const on = (hub: ChatHub, { name, apiKey, cookies }: Actor): Actor => {
    const there = createActor({ name, apiKey, baseUrl: () => hub.url });
    for (const [key, value] of cookies) there.cookies.set(key, value);
    return there;
  };

  beforeAll(async () => {
    servers = await startTwoServers(database);
    ({ one, two } = servers);
    ada = await one.vip("ada");
    ben = await two.vip("ben");
    room = await openRoom(ada);
  });
  beforeEach(() => {
    room = { ...room, session_token: `room-${++rooms}` };
  });
  afterAll(() => servers.close());

  it("sends each message once to all, and counts the participants of both servers", async () => {
    await using first = joinAs(one, ada, room);
    await using second = joinAs(two, ben, room);
    await synced(first, second);
    const cleo = await signedIn(two, `cleo-${rooms}`);
    const polled = await sync(cleo, room, { last_id: 0 });
    const names = polled.body.participants.map(({ name }: { name: string }) => name).sort();
    expect([polled.body.online_count, names]).toEqual([3, ["ada", "ben", `cleo-${rooms}`]]);
    await eventually(() => expect([first.online, second.online]).toEqual([3, 3]));

    await say(ada, room, "Good evening.");
    await sayOnPage(cleo, room, "Good evening, ada.");
    await eventually(() => expect([first.ids.length, second.ids.length]).toEqual([4, 4]));
    expect(second.ids).toEqual(first.ids);
    expect(first.of("message").map(({ prev_id }) => prev_id)).toEqual([
      0,
      ...first.ids.slice(0, -1),
    ]);
    // Both servers return the same history.
    const here = await history(ada, room);
    const there = await history(on(two, ada), room);
    expect(there.body).toEqual(here.body);
    expect((await sync(ben, room)).body.head).toBe(first.ids.at(-1));
  });

  it("streams a reply of one server to clients of the other", async () => {
    await using listener = joinAs(two, ben, room);
    await synced(listener);
    const { body } = await say(ada, room, "Is it dark? 🦉");
    const soul = { soul_id: room.soul_id };
    await eventually(() => expect(listener.types).toContain("reply-done"));
    // The room's title, read from its first message, may come at any time.
    const reply = ["asked", "reply-delta", "message", "reply-done"];
    const order = listener.types.filter((type) => reply.includes(type));
    expect(order.join(" ")).toMatch(/^asked( reply-delta)+ message message reply-done$/);
    expect(listener.of("asked")).toMatchObject([
      { reply_id: body.reply_id, sender_name: "ada", content: "Is it dark? 🦉", ...soul },
    ]);
    expect(textOf(listener)).toBe(body.reply);
    expect(listener.of("reply-done")).toEqual([
      { type: "reply-done", reply_id: body.reply_id, id: listener.ids[1] },
    ]);
  });

  it("sends a late joiner on the other server the text so far, then the rest", async () => {
    await using early = joinAs(one, ada, room);
    await synced(early);
    const goOn = one.provider.holdNext();
    const answer = say(ada, room, "Is it dark?");
    await eventually(() => expect(early.types).toContain("reply-delta"));
    await using late = joinAs(two, ben, room);
    await synced(late);
    const [reply] = late.of("sync")[0]?.replies ?? [];
    expect(reply).toMatchObject({ sender_name: "ada", content: "Is it dark?" });
    expect(reply?.text).toBe(textOf(early));
    goOn();
    const { body } = await answer;
    await eventually(() => expect(late.types).toContain("reply-done"));
    expect(late.types).not.toContain("asked");
    expect(textOf(late, reply?.text)).toBe(body.reply);
    // A client that joins after the end of the reply gets no reply in progress.
    await using later = joinAs(two, ben, room);
    await synced(later);
    expect(later.of("sync")[0]?.replies).toEqual([]);
  });

  it("sends the failure of a reply to the clients of both servers", async () => {
    await using listener = joinAs(two, ben, room);
    await synced(listener);
    one.provider.failNext("filtered");
    const { body } = await say(ada, room, "Is it dark?");
    expect(body.success).toBe(false);
    await eventually(() => expect(listener.of("reply-failed")).toHaveLength(1));
    expect(listener.of("reply-failed")[0]?.error).toBe(body.error);
    expect(listener.ids).toEqual([]);
  });

  it("announces typing on both servers once in 2 s, and not to the typist", async () => {
    const typistName = `typist-${rooms}`;
    const typist = await signedIn(one, typistName);
    await using reader = joinAs(two, ben, room);
    await using own = joinAs(two, on(two, typist), room);
    await synced(reader, own);
    // The calls go to both servers in turn, as with a load balancer.
    for (const server of [one, two, one, two]) {
      expect((await on(server, typist).post("/trpc/rooms.typing", room)).status).toBe(200);
      await eventually(() => expect(reader.of("typing")).toHaveLength(1));
    }
    await say(ada, room, "Done?");
    await eventually(() => expect([reader.ids.length, own.ids.length]).toEqual([2, 2]));
    expect(reader.of("typing")).toEqual([{ type: "typing", sender_name: typistName }]);
    expect(own.of("typing")).toEqual([]);
  });

  it("lets the author and the room's owner cancel a reply through the other server", async () => {
    await say(ada, room, "This room is mine.");
    const cleo = await signedIn(one, `cleo-${rooms}`);
    await using listener = joinAs(two, ben, room);
    await synced(listener);
    const replyId = async (asked: number) => {
      await eventually(() => expect(listener.of("asked")).toHaveLength(asked));
      return listener.of("asked").at(-1)?.reply_id;
    };
    const cancel = async (who: Actor, reply_id: string | undefined) =>
      (await on(two, who).post("/trpc/chat.cancel", { reply_id })).status;

    one.provider.failNext("hang");
    const byAsker = sayOnPage(cleo, room, "Is it dark?");
    expect(await cancel(cleo, await replyId(1))).toBe(200);
    expect((await byAsker).body.error.data.error).toBe("cancelled");

    one.provider.failNext("hang");
    const byOwner = sayOnPage(cleo, room, "And now?");
    const second = await replyId(2);
    // For a caller without the right to cancel, the response is the same and the reply continues.
    expect(await cancel(ben, second)).toBe(200);
    expect(one.hub.replies.size).toBe(1);
    expect(await cancel(ada, second)).toBe(200);
    expect((await byOwner).body.error.data.error).toBe("cancelled");
    await eventually(() =>
      expect(listener.of("reply-failed").map(({ error }) => error)).toEqual([
        "cancelled",
        "cancelled",
      ]),
    );
  });

  it("disconnects strangers on both servers when the owner makes it private", async () => {
    await say(ada, room, "Hello.");
    await using stranger = joinAs(two, ben, room);
    await using owner = joinAs(two, ada, room);
    await synced(stranger, owner);
    await say(ada, room, "Between us.", { is_private: true });
    await eventually(() => expect(owner.ids).toHaveLength(4));
    await eventually(() => expect(stranger.endedBy).toBe("private_session"));
    expect(stranger.ids).toHaveLength(2);
    expect(stranger.of("asked")).toEqual([]);
    expect((await sync(ben, room)).body.error).toBe("private_session");
  });

  it("ends the subscriptions of a revoked key or an ended session on the other server", async () => {
    const [dora, emil] = [await one.vip(`dora-${rooms}`), await signedIn(one, `emil-${rooms}`)];
    await using byKey = joinAs(two, dora, room);
    await using bySession = joinAs(two, emil, room);
    await using other = joinAs(two, ben, room);
    await synced(byKey, bySession, other);
    expect((await dora.post("/api/api-key/rotate")).status).toBe(200);
    expect((await emil.post("/api/logout")).status).toBe(200);
    await eventually(() => expect(byKey.endedBy).toBe("unauthenticated"));
    await eventually(() => expect(bySession.endedBy).toBeDefined());
    expect([byKey.isOpen, other.isOpen, other.endedBy]).toEqual([true, true, undefined]);
  });

  it("moves a guest's rooms on both servers, and its other tab comes back as the owner", async () => {
    const guest = one.guest();
    await sayOnPage(guest, room, "Hello.");
    await using tab = joinAs(two, guest, room);
    await using reader = joinAs(two, ben, room);
    const you = () => tab.of("sync").map(({ you }) => [you?.kind, you?.is_owner]);
    await eventually(() => expect(you()).toEqual([["guest", true]]));
    await eventually(() => expect(reader.online).toBe(2));
    for (const [name, value] of (await signedIn(one, `gus-${rooms}`)).cookies) {
      guest.cookies.set(name, value);
    }
    expect((await guest.post("/api/claim-guest", {})).body.rooms).toBe(1);
    await eventually(() => expect(you().slice(1)).toEqual([["member", true]]));
    const former = tab.of("sync")[0]?.you?.name;
    await eventually(() => expect(reader.of("presence").at(-1)?.left).toEqual([former]));
  });

  it("disconnects clients without the NFT on both servers when its soul gets an NFT gate", async () => {
    const own = await openRoom(ada);
    await using here = joinAs(one, ben, own);
    await using there = joinAs(two, ben, own);
    await using author = joinAs(two, ada, own);
    await synced(here, there, author);
    await ada.put(`/api/soul/${own.soul_id}`, { nft_contract: "nft.near" });
    for (const listener of [here, there]) {
      await eventually(() => expect(listener.endedBy).toBe("nft_required"));
    }
    await say(ada, own, "Among ourselves.");
    await eventually(() => expect(author.ids).toHaveLength(2));
    expect([...here.ids, ...there.ids]).toEqual([]);
  });

  it("closes with its soul on both servers", async () => {
    const own = await openRoom(ada);
    await using listener = joinAs(two, ben, own);
    await synced(listener);
    expect((await ada.delete(`/api/soul/${own.soul_id}`)).status).toBe(200);
    await eventually(() => expect(listener.endedBy).toBe("soul_not_found"));
  });

  it("is named in /readyz", async () => {
    const { status, body } = await one.guest().get("/readyz");
    expect([status, body.status, body.database, body.bus]).toEqual([200, "ready", "ok", "ok"]);
  });
});
