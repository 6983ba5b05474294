import { describe, expect, it } from "vitest";
import {
  type ChatHub,
  failureOf,
  openRoom,
  say,
  sayOnPage,
  signedIn,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";

/** Glossary, drain: a draining hub starts no reply, and cancels and refunds those in progress. */
describe("draining during replies", () => {
  const start = async () => {
    const hub = await startChatHub();
    const vera = await hub.vip("vera");
    const page = await signedIn(hub, "paul");
    const room = await openRoom(vera);
    hub.provider.failNext(...Array.from({ length: 8 }, () => "hang" as const));
    return { hub, vera, page, room };
  };
  const holds = (hub: ChatHub) =>
    hub.hub.database.db.selectFrom("quota_holds").select("id").execute();
  const requested = (hub: ChatHub, calls: number) =>
    eventually(() => expect(hub.provider.requests).toHaveLength(calls));

  it("fails all calls with shutting_down, notifies the room and refunds the units", async () => {
    const { hub, vera, page, room } = await start();
    const watcher = joinAs(hub, vera, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const calls = [say(vera, room, "one"), say(vera, room, "two"), sayOnPage(page, room, "three")];
    await requested(hub, 3);
    await hub.hub.drain();
    const [one, two] = await Promise.all(calls);
    expect([one?.status, two?.status]).toEqual([503, 503]);
    expect(watcher.of("reply-failed").map(({ error }) => error)).toEqual(
      Array(3).fill("shutting_down"),
    );
    expect(await holds(hub)).toEqual([]);
    const { db } = hub.hub.database;
    expect(await db.selectFrom("quota_days").select("used").execute()).toEqual([
      { used: 0 },
      { used: 0 },
    ]);
    await watcher.close();
    await hub.close();
  });

  it("fails the waiting calls and starts none of them", async () => {
    const { hub, vera, room } = await start();
    const calls = Array.from({ length: 12 }, (_, n) => say(vera, room, `question ${n}`));
    await requested(hub, 8);
    await hub.hub.drain();
    const codes = (await Promise.all(calls)).map(({ body }) => body.error);
    expect(new Set(codes)).toEqual(new Set(["shutting_down"]));
    expect(hub.provider.requests).toHaveLength(8);
    await hub.close();
  });

  it("starts no reply whose units are reserved when the replies are cancelled", async () => {
    const { hub, vera, room } = await start();
    const { replies, reserveUnits } = hub.hub;
    hub.hub.reserveUnits = async (units) => {
      void hub.hub.drain();
      await eventually(() => expect(replies.stopped.aborted).toBe(true));
      return reserveUnits(units);
    };
    expect(failureOf(await say(vera, room, "late"))).toEqual([503, "shutting_down"]);
    expect(hub.provider.requests).toEqual([]);
    expect(await holds(hub)).toEqual([]);
    await hub.close();
  });

  it("refuses new calls with shutting_down and Retry-After", async () => {
    const { hub, vera, room } = await start();
    await hub.hub.drain();
    const refused = await say(vera, room, "late");
    expect(failureOf(refused)).toEqual([503, "shutting_down"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await hub.close();
  });
});
