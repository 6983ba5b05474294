import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  type ChatHub,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  startChatHub,
  sync,
} from "../testing/chat-hub.ts";
import { testDatabases } from "../testing/test-database.ts";

const PAST = { expires_at: "2020-01-01 00:00:00" };

/** Specification §3, Pass: suspended when it runs out, until it is renewed by hand. */
describe.each(testDatabases())("a pass that runs out (on %s)", (database) => {
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  let accounts = 0;

  beforeAll(async () => {
    hub = await startChatHub({ database });
  });
  beforeEach(async () => {
    vera = await hub.vip(`vera-${++accounts}`);
    room = await openRoom(vera);
  });
  afterAll(() => hub.close());

  it("shuts the doors for a key, and leaves the listening and the page's daily quota", async () => {
    await say(vera, room, "Hello.");
    await hub.pass(vera, "vip", PAST);
    for (const refused of [await say(vera, room, "Hello?"), await history(vera, room)]) {
      expect([refused.status, refused.body.error]).toEqual([403, "pass_expired"]);
    }
    const overTrpc = await sayOnPage(vera, room, "Hello?");
    expect(overTrpc.body.error.data.error).toBe("pass_expired");
    expect((await sync(vera, room)).body.new_messages).toHaveLength(2);
    // Free: 20 a day, of which one is used.
    expect((await vera.get("/api/chat-quota")).body.quota).toMatchObject({
      tier: "free",
      daily_remaining: 19,
    });
  });

  it.each([
    ["runs out", "vip", PAST],
    ["is revoked", "free", {}],
  ] as const)(
    "lets a reply come to its end that was begun before it %s",
    async (_, tier, until) => {
      const asked = hub.provider.requests.length;
      const goOn = hub.provider.holdNext();
      const call = say(vera, room, "Is it dark?");
      await hub.provider.received(asked + 1);
      await hub.pass(vera, tier, until);
      goOn();
      expect((await call).status).toBe(200);
      expect((await sync(vera, room)).body.new_messages).toHaveLength(2);
      expect(await remaining(vera)).toBe(19);
      expect((await say(vera, room, "And now?")).status).toBe(403);
    },
  );

  it("is back with a renewal, at once, and with what was used of the day", async () => {
    await say(vera, room, "Hello.");
    await hub.pass(vera, "vip", PAST);
    expect((await say(vera, room, "Hello?")).status).toBe(403);
    await hub.pass(vera, "vip");
    const { status, body } = await say(vera, room, "Hello again.");
    expect([status, body.quota.tier, body.quota.daily_remaining]).toEqual([200, "vip", 198]);
    expect((await history(vera, room)).body.messages).toHaveLength(4);
  });
});
