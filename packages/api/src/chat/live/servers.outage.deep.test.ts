import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName, say, sync } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs, type Visitor } from "../../testing/live-visitor.ts";
import { type OwnRedis, startRedis } from "../../testing/servers/own-redis.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { startTwoServers, type TwoServers } from "../../testing/two-servers.ts";

const { redisServer } = inject("services");

/** Readers catch up within 5 s (0016); a busy machine gets more time. */
const CAUGHT_UP_MS = 8_000;
const soon = (check: () => void) => vi.waitFor(check, { timeout: CAUGHT_UP_MS, interval: 20 });

const synced = (...visitors: Visitor[]) =>
  eventually(() => {
    for (const visitor of visitors) expect(visitor.types).toContain("sync");
  });

/**
 * Without Redis, clients still get all messages. When Redis returns, they get the state of presence
 * and replies.
 */
describe.skipIf(!redisServer)("two servers that lose their Redis", () => {
  let redis: OwnRedis;
  let servers: TwoServers;
  let ada: Actor;
  let ben: Actor;
  let room: RoomName;
  const bus = async (server: "one" | "two") =>
    (await servers[server].guest().get("/readyz")).body.bus;
  const bothSay = (state: string) =>
    eventually(async () => expect([await bus("one"), await bus("two")]).toEqual([state, state]));

  beforeAll(async () => {
    redis = await startRedis();
    servers = await startTwoServers(ruleDatabase(), redis.url);
    ada = await servers.one.vip("ada");
    ben = await servers.two.vip("ben");
    room = await openRoom(ada);
  });
  afterAll(async () => {
    await servers.close();
    await redis[Symbol.asyncDispose]();
  });

  it("stay ready; their own clients get messages at once, the others within 5 s", async () => {
    await using here = joinAs(servers.one, ada, room);
    await using there = joinAs(servers.two, ben, room);
    await synced(here, there);
    await eventually(() => expect([here.online, there.online]).toEqual([2, 2]));
    await redis.kill();
    await bothSay("down");
    expect((await servers.one.guest().get("/readyz")).status).toBe(200);

    expect((await say(ada, room, "Can you hear me?")).status).toBe(200);
    await eventually(() => expect(here.ids).toHaveLength(2));
    await soon(() => expect(there.ids).toEqual(here.ids));
    // A join is not delayed while Redis is down, and the presence list keeps all participants.
    await using late = joinAs(servers.two, ben, room);
    await synced(late);
    expect(late.ids).toEqual(here.ids);
    expect((await sync(ben, room)).body).toMatchObject({ online_count: 2, head: here.ids[1] });
    // A cancellation that can't reach the other server is not confirmed.
    const cancelled = await ben.post("/trpc/chat.cancel", { reply_id: "of-the-other-server" });
    expect([cancelled.status, cancelled.body.error.data.error]).toEqual([503, "overloaded"]);

    await redis.start();
    await bothSay("ok");
    expect((await say(ada, room, "And now?")).status).toBe(200);
    await soon(() => expect(there.types).toContain("reply-done"));
    expect(there.ids).toEqual(here.ids);
    expect(here.of("presence").flatMap(({ left }) => left)).toEqual([]);
    expect(there.of("presence").flatMap(({ left }) => left)).toEqual([]);
  });

  it("repair a reply: its question, its text, its end", async () => {
    const hall = { ...room, session_token: "hall" };
    await using there = joinAs(servers.two, ben, hall);
    await synced(there);
    const goOn = [servers.one.provider.holdNext(), servers.one.provider.holdNext()];
    await redis.kill();
    await bothSay("down");
    const answers = [say(ada, hall, "One?"), say(ada, hall, "Two?")];
    await eventually(() => expect(servers.one.hub.rooms.counts().replies).toBe(2));
    expect(there.of("asked")).toEqual([]);
    // The first reply ends while Redis is down, the second after Redis returns.
    goOn[0]?.();
    await Promise.race(answers);
    await redis.start();
    await soon(() => expect(there.of("asked").length).toBeGreaterThan(0));
    goOn[1]?.();
    const replies = (await Promise.all(answers)).map(({ body }) => body);
    await soon(() => expect(there.ids).toHaveLength(4));
    await soon(() => expect(there.types).toContain("reply-done"));
    const [second] = there.of("asked");
    const reply = replies.find(({ reply_id }) => reply_id === second?.reply_id);
    let text = "";
    for (const { reply_id, offset, text: piece } of there.of("reply-delta")) {
      expect([reply_id, offset]).toEqual([second?.reply_id, text.length]);
      text += piece;
    }
    expect(text).toBe(reply.reply);
    expect(there.of("reply-done").map(({ reply_id }) => reply_id)).toEqual([second?.reply_id]);
  });
});
