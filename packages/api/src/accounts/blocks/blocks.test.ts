import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Actor, createActor } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  history,
  openRoom,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { startTwoServers } from "../../testing/two-servers.ts";

const blocked = [403, "blocked"];
const block = (by: Actor, username: string) => by.put("/api/blocks", { username });
const unblock = (by: Actor, username: string) => by.delete(`/api/blocks?username=${username}`);

/** Blocked people stay away from the souls and rooms of one account (0064). */
describeRoom("a blocked person", { owner: "olga" }, (hub, olga, room) => {
  let mallory: Actor;
  let other: Actor;

  beforeAll(async () => {
    mallory = await hub.vip("mallory");
    other = await hub.vip("ben");
  });
  beforeEach(async () => {
    await unblock(olga, "mallory");
    await say(olga, room, "Come in.");
    await hub.hub.database.db.deleteFrom("quota_days").execute();
  });

  it("can't fork, like or rate the blocker's souls, and still reads them", async () => {
    const { soul_id } = room;
    await mallory.post("/api/like", { soul_id });
    expect((await block(olga, "Mallory")).status).toBe(200);
    const answers = await Promise.all([
      mallory.post("/api/fork", { soul_id }),
      mallory.post("/api/like", { soul_id }),
      mallory.post("/api/rate", { soul_id, rating: 1 }),
      mallory.post("/trpc/social.fork", { soul_id }),
    ]);
    for (const answer of answers) expect(failureOf(answer)).toEqual(blocked);
    const read = await mallory.get(`/api/soul/${soul_id}`);
    expect(read.body.data).toMatchObject({ like_count: 1, fork_count: 0, total_ratings: 0 });
    expect((await other.post("/api/like", { soul_id })).status).toBe(200);
    await other.post("/api/like", { soul_id });
    await unblock(olga, "mallory");
    expect((await mallory.post("/api/like", { soul_id })).body.liked).toBe(false);
  });

  it("learns nothing of the blocker's private souls", async () => {
    const { soul_id } = await openRoom(olga, { is_public: 0 });
    await block(olga, "mallory");
    for (const path of ["/api/fork", "/api/like"]) {
      expect(failureOf(await mallory.post(path, { soul_id }))).toEqual([404, "soul_not_found"]);
    }
  });

  it("can't enter rooms that the blocker owns, and enters those of others", async () => {
    // The first poll puts the public room into the memory of the server.
    await sync(mallory, room);
    await sync(mallory, room);
    await block(olga, "mallory");
    const answers = await Promise.all([
      sync(mallory, room),
      history(mallory, room),
      say(mallory, room, "Let me in."),
      mallory.post("/api/room-copy", { ...room, new_session_token: "copy" }),
    ]);
    for (const answer of answers) expect(failureOf(answer)).toEqual(blocked);
    expect((await sync(other, room)).status).toBe(200);
    expect((await sync(hub.guest(), room)).status).toBe(200);
    // The polls of others have put the room into the memory again.
    expect(failureOf(await sync(mallory, room))).toEqual(blocked);
    expect((await history(olga, room)).body.messages).toHaveLength(2);
    const elsewhere = { ...room, session_token: "of-ben" };
    await say(other, elsewhere, "Hello.");
    expect((await sync(mallory, elsewhere)).status).toBe(200);
    await unblock(olga, "mallory");
    expect((await sync(mallory, room)).status).toBe(200);
  });

  it("loses open subscriptions and waiting polls at once, and the room from its list", async () => {
    await say(mallory, room, "Hello.");
    await using guest = joinAs(hub, hub.guest(), room);
    await using visitor = joinAs(hub, mallory, room);
    await eventually(() => {
      for (const each of [guest, visitor]) expect(each.types).toContain("sync");
    });
    const { head } = (await sync(mallory, room)).body;
    const waiting = sync(mallory, room, { last_id: head, wait: 25 });
    await eventually(() => expect(hub.hub.rooms.waits()).toHaveLength(1));
    expect((await mallory.get("/api/my-chats")).text).toContain(room.session_token);
    await block(olga, "mallory");
    expect(failureOf(await waiting)).toEqual(blocked);
    await eventually(() => expect(visitor.endedBy).toBe("blocked"));
    expect(guest.endedBy).toBeUndefined();
    expect((await mallory.get("/api/my-chats")).text).not.toContain(room.session_token);
  });

  it("gets no reply that is being written, and the room does not store it", async () => {
    const goOn = hub.provider.holdNext();
    const asking = sayOnPage(mallory, room, "One more thing?");
    await eventually(() => expect(hub.hub.rooms.counts().replies).toBe(1));
    await block(olga, "mallory");
    goOn();
    expect(failureOf(await asking)).toEqual(blocked);
    expect((await history(olga, room)).body.messages).toHaveLength(2);
  });

  it("can't join a private room with an invite", async () => {
    const name = { ...room, session_token: "private" };
    await say(olga, name, "Only us.", { is_private: true });
    const { invite } = (await olga.post("/api/room-invites", { ...name, uses: 1, days: 1 })).body;
    await block(olga, "mallory");
    expect(failureOf(await mallory.post("/api/room-join", { invite }))).toEqual(blocked);
    await unblock(olga, "mallory");
    expect((await mallory.post("/api/room-join", { invite })).status).toBe(200);
  });

  it("is listed to the blocker alone, once, and at most 1,000 of them", async () => {
    await block(olga, "mallory");
    await block(olga, "MALLORY");
    expect((await olga.get("/api/blocks")).body).toEqual({
      success: true,
      count: 1,
      data: [{ username: "mallory", created_at: expect.any(String) }],
    });
    expect((await mallory.get("/api/blocks")).body).toMatchObject({ count: 0, data: [] });
    expect(failureOf(await block(olga, "olga"))).toEqual([400, "invalid_input"]);
    const { db } = hub.hub.database;
    const ids = await db
      .insertInto("accounts")
      .values(
        Array.from({ length: 999 }, (_, nth) => ({ username: `x${nth}`, username_key: `x${nth}` })),
      )
      .returning("id")
      .execute();
    const { id: blocker_id } = await db
      .selectFrom("accounts")
      .select("id")
      .where("username", "=", "olga")
      .executeTakeFirstOrThrow();
    await db
      .insertInto("blocks")
      .values(ids.map(({ id }) => ({ blocker_id, blocked_id: id })))
      .execute();
    expect((await block(olga, "mallory")).status).toBe(200);
    expect(failureOf(await block(olga, "ben"))).toEqual([409, "limit_reached"]);
    await db.deleteFrom("accounts").where("username", "like", "x%").execute();
    expect((await olga.get("/api/blocks")).body.count).toBe(1);
  });
});

const { redis } = inject("services");

describe.skipIf(!redis)("a block on two servers", () => {
  const database = ruleDatabase();
  it("ends the subscription and the poll on the other server at once", async () => {
    await using servers = await startTwoServers(database);
    const { one, two } = servers;
    const olga = await one.vip("olga");
    const here = await signedIn(one, "mallory");
    const there = on(two, here);
    const room = await openRoom(olga);
    await say(olga, room, "Good evening.");
    await using live = joinAs(two, there, room);
    await eventually(() => expect(live.types).toContain("sync"));
    const { head } = (await sync(there, room)).body;
    const waiting = sync(there, room, { last_id: head, wait: 25 });
    await eventually(() => expect(two.hub.rooms.waits()).toHaveLength(1));
    await block(olga, "mallory");
    expect(failureOf(await waiting)).toEqual(blocked);
    await eventually(() => expect(live.endedBy).toBe("blocked"));
    expect(failureOf(await sync(there, room, { last_id: head }))).toEqual(blocked);
  });

  /** Returns the same actor, with its cookies, as a client of the given server. */
  function on(hub: ChatHub, { name, cookies }: Actor): Actor {
    const there = createActor({ name, baseUrl: () => hub.url });
    for (const [key, value] of cookies) there.cookies.set(key, value);
    return there;
  }
});
