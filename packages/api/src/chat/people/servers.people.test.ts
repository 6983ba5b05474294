import { describe, expect, inject, it } from "vitest";
import { type Actor, createActor } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  openRoom,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { startTwoServers } from "../../testing/two-servers.ts";

const { redis } = inject("services");

/** A ban and the end of a membership apply at once on every server (0040). */
describe.skipIf(!redis)("people on two servers", () => {
  const database = ruleDatabase();
  /** Returns the same actor, with its cookies, as a client of the given server. */
  const on = (hub: ChatHub, { name, cookies }: Actor): Actor => {
    const there = createActor({ name, baseUrl: () => hub.url });
    for (const [key, value] of cookies) there.cookies.set(key, value);
    return there;
  };

  it.each([
    ["banned", {}, "banned"],
    ["none", { is_private: true }, "private_session"],
  ])("%s cuts a person off on both", async (state, privacy, code) => {
    await using servers = await startTwoServers(database);
    const { one, two } = servers;
    const owner = await one.vip("olga");
    const here = await signedIn(one, "paul");
    const there = on(two, here);
    const room = await openRoom(owner);
    await say(owner, room, "Good evening.", privacy);
    const set = (wanted: string) =>
      owner.put("/api/room-people", { ...room, username: "paul", state: wanted });
    expect((await set("member")).status).toBe(200);

    await using liveHere = joinAs(one, here, room);
    await using liveThere = joinAs(two, there, room);
    await eventually(() => {
      for (const visitor of [liveHere, liveThere]) expect(visitor.types).toContain("sync");
    });
    const { head } = (await sync(there, room)).body;
    const waiting = sync(there, room, { last_id: head, wait: 25 });
    await eventually(() => expect(two.hub.rooms.waits()).toHaveLength(1));

    expect((await set(state)).status).toBe(200);
    expect(failureOf(await waiting)).toEqual([403, code]);
    await eventually(() => expect([liveHere.endedBy, liveThere.endedBy]).toEqual([code, code]));
    for (const actor of [here, there]) {
      expect(failureOf(await sync(actor, room, { last_id: head }))).toEqual([403, code]);
    }
    await say(owner, room, "Alone at last.");
    expect([...liveHere.ids, ...liveThere.ids]).toHaveLength(4);
  });

  it("banned ends the reply that the other server writes for the person", async () => {
    await using servers = await startTwoServers(database);
    const { one, two } = servers;
    const owner = await one.vip("olga");
    const there = on(two, await signedIn(one, "paul"));
    const room = await openRoom(owner);
    await say(owner, room, "Good evening.");
    await using watcher = joinAs(one, owner, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const goOn = two.provider.holdNext();
    const pending = sayOnPage(there, room, "What about me?");
    await eventually(() => expect(watcher.of("asked")).toHaveLength(1));
    const ban = { ...room, username: "paul", state: "banned" };
    expect((await owner.put("/api/room-people", ban)).status).toBe(200);
    expect(failureOf(await pending)).toEqual([403, "banned"]);
    await eventually(() => expect(watcher.of("reply-failed")).toMatchObject([{ error: "banned" }]));
    goOn();
  });
});
