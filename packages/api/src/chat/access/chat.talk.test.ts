import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, history, say, sayOnPage, signedIn, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";

/** Decisions §5, Rooms: only participants that `talk` admits may send, type and react. */
describeRoom("the setting `talk` of a room", {}, (hub, owner, room) => {
  let member: Actor;
  let guest: Actor;

  beforeAll(async () => {
    member = await signedIn(hub, "ben");
    guest = hub.guest();
  });
  beforeEach(async () => {
    await say(owner, room, "Good evening.");
    await hub.hub.database.db.deleteFrom("quota_days").execute();
  });
  const set = (talk: string) => owner.put("/api/room", { ...room, talk });
  const type = (actor: Actor) => actor.post("/trpc/rooms.typing", room);
  const muted = [403, "muted"];

  it.each([
    ["members", 200],
    ["owner", 403],
  ] as const)("%s: a guest cannot talk, and another account gets %i", async (talk, status) => {
    expect((await set(talk)).status).toBe(200);
    for (const refused of [await sayOnPage(guest, room, "Hi."), await type(guest)]) {
      expect(failureOf(refused)).toEqual(muted);
    }
    expect((await sayOnPage(member, room, "Hi.")).status).toBe(status);
    expect((await type(member)).status).toBe(status);
    expect((await say(owner, room, "Hi.")).status).toBe(200);
    // Reading stays open.
    expect((await sync(guest, room)).body.new_messages.length).toBeGreaterThan(2);
  });

  it("costs a refused caller no unit, and stores nothing", async () => {
    await set("owner");
    const calls = hub.provider.requests.length;
    const watcher = joinAs(hub, owner, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    expect(failureOf(await sayOnPage(member, room, "Hi."))).toEqual(muted);
    const { quota } = (await member.get("/api/chat-quota")).body;
    expect(quota.daily_remaining).toBe(quota.daily_limit);
    expect(hub.provider.requests).toHaveLength(calls);
    expect((await history(owner, room)).body.messages).toHaveLength(2);
    expect(watcher.types).not.toContain("asked");
    await watcher.close();
  });

  it("ends with `anyone`", async () => {
    await set("owner");
    await set("anyone");
    expect((await sayOnPage(guest, room, "Hi.")).status).toBe(200);
    expect((await type(guest)).status).toBe(200);
  });
});
