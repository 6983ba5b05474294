import { describe, expect, it } from "vitest";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  signedIn,
  startChatHub,
} from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs } from "../testing/live-visitor.ts";
import { testDatabases } from "../testing/test-database.ts";

/** A hub that stops: nothing new, what runs is called back, told and refunded, and all of it ends. */
describe.each(testDatabases())("a hub that stops in mid-reply (on %s)", (database) => {
  const start = async () => {
    const hub = await startChatHub({ database });
    const vera = await hub.vip("vera");
    const page = await signedIn(hub, "paul");
    const room = await openRoom(vera);
    hub.provider.failNext(...Array.from({ length: 8 }, () => "hang" as const));
    return { hub, vera, page, room };
  };
  const holds = (hub: ChatHub) =>
    hub.hub.database.db.selectFrom("quota_holds").select("id").execute();
  const asked = (hub: ChatHub, calls: number) =>
    eventually(() => expect(hub.provider.requests).toHaveLength(calls));

  it("tells REST callers, pages and rooms, and gives every unit back", async () => {
    const { hub, vera, page, room } = await start();
    const watcher = joinAs(hub, vera, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const before = await remaining(vera);
    const calls = [say(vera, room, "one"), say(vera, room, "two"), sayOnPage(page, room, "three")];
    await asked(hub, 3);
    await hub.hub.drain();
    const [one, two] = await Promise.all(calls);
    expect([one?.status, two?.status]).toEqual([503, 503]);
    expect(watcher.of("reply-failed").map(({ error }) => error)).toEqual(
      Array(3).fill("shutting_down"),
    );
    expect(await holds(hub)).toEqual([]);
    expect(before).toBeGreaterThan(0);
    await watcher.close();
    await hub.close();
  });

  it("tells those who wait for their turn, and starts none of them", async () => {
    const { hub, vera, room } = await start();
    const calls = Array.from({ length: 12 }, (_, n) => say(vera, room, `question ${n}`));
    await asked(hub, 8);
    await hub.hub.drain();
    const codes = (await Promise.all(calls)).map(({ body }) => body.error);
    expect(new Set(codes)).toEqual(new Set(["shutting_down"]));
    expect(hub.provider.requests).toHaveLength(8);
    await hub.close();
  });

  it("answers whoever still comes with shutting_down and Retry-After", async () => {
    const { hub, vera, room } = await start();
    await hub.hub.drain();
    const late: RoomName = room;
    const { status, body, headers } = await say(vera, late, "late");
    expect([status, body.error]).toEqual([503, "shutting_down"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    await hub.close();
  });
});
