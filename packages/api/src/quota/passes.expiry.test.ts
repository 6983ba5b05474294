import { beforeEach, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  sayOnPage,
  sync,
} from "../testing/chat-hub.ts";
import { describeChat } from "../testing/describe-chat.ts";

const PAST = { expires_at: "2020-01-01 00:00:00" };

/** An account with an expired pass has the free tier until the pass is renewed (specification §3, Pass). */
describeChat("an expired pass", {}, (hub) => {
  let vera: Actor;
  let room: RoomName;
  let accounts = 0;

  beforeEach(async () => {
    vera = await hub.vip(`vera-${++accounts}`);
    room = await openRoom(vera);
  });

  it("refuses chat with an API key; chat-sync and the free quota remain", async () => {
    await say(vera, room, "Hello.");
    await hub.pass(vera, "vip", PAST);
    for (const refused of [await say(vera, room, "Hello?"), await history(vera, room)]) {
      expect([refused.status, refused.body.error]).toEqual([403, "pass_expired"]);
    }
    const overTrpc = await sayOnPage(vera, room, "Hello?");
    expect(overTrpc.body.error.data.error).toBe("pass_expired");
    expect((await sync(vera, room)).body.new_messages).toHaveLength(2);
    // A free account has 20 units per day, of which this account has used one.
    expect((await vera.get("/api/chat-quota")).body.quota).toMatchObject({
      tier: "free",
      daily_remaining: 19,
    });
  });

  it.each([
    ["expires", "vip", PAST],
    ["is revoked", "free", {}],
  ] as const)("does not abort a reply when the pass %s", async (_, tier, until) => {
    const asked = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const call = say(vera, room, "Is it dark?");
    await hub.provider.received(asked + 1);
    await hub.pass(vera, tier, until);
    release();
    expect((await call).status).toBe(200);
    expect((await sync(vera, room)).body.new_messages).toHaveLength(2);
    expect(await remaining(vera)).toBe(19);
    expect((await say(vera, room, "And now?")).status).toBe(403);
  });

  it("is restored by a renewal at once, with the day's used units", async () => {
    await say(vera, room, "Hello.");
    await hub.pass(vera, "vip", PAST);
    expect((await say(vera, room, "Hello?")).status).toBe(403);
    await hub.pass(vera, "vip");
    const { status, body } = await say(vera, room, "Hello again.");
    expect([status, body.quota.tier, body.quota.daily_remaining]).toEqual([200, "vip", 198]);
    expect((await history(vera, room)).body.messages).toHaveLength(4);
  });
});
