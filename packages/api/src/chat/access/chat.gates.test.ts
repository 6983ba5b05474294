import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName, say } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";

/** The access matrix (chat/access-matrix.fixture.ts) covers the access level of each endpoint. */
describeChat("passes", {}, (hub) => {
  let room: RoomName;
  const actors: Record<string, Actor> = {};

  beforeAll(async () => {
    const lapsed = await hub.member("lapsed");
    await hub.pass(lapsed, "pro", { days: 1 });
    await hub.moveClock("2 days");
    const vip = await hub.vip("vera");
    room = await openRoom(vip);
    Object.assign(actors, {
      nobody: hub.guest(),
      "a free key": await hub.member("fred"),
      "a key with an expired pass": lapsed,
    });
  });

  describe("POST /api/chat", () => {
    const bodies = {
      "broken JSON": ['{"soul_id": ', "application/json"],
      "no fields": ["{}", "application/json"],
      null: ["null", "application/json"],
      text: ["hello", "text/plain"],
      "7 MB": [" ".repeat(7_000_000), "application/json"],
    } as const;
    it.each(Object.keys(bodies) as (keyof typeof bodies)[])(
      "authorises the caller before it reads a body of %s",
      async (kind) => {
        const [body, type] = bodies[kind];
        const post = (who: string) =>
          (actors[who] as Actor)
            .send("POST", "/api/chat", body, { "content-type": type })
            .then(({ status, body }) => [status, body.error]);
        expect(await post("a free key")).toEqual([403, "pass_required"]);
        expect(await post("a key with an expired pass")).toEqual([403, "pass_expired"]);
        expect(await post("nobody")).toEqual([401, "unauthenticated"]);
      },
    );
  });

  it("accepts a renewed pass", async () => {
    const lapsed = actors["a key with an expired pass"] as Actor;
    await hub.pass(lapsed, "vip");
    expect((await say(lapsed, room, "I am back.")).status).toBe(200);
    await hub.pass(lapsed, "pro", { expires_at: "2020-01-01" });
    expect((await say(lapsed, room, "And gone.")).body.error).toBe("pass_expired");
  });

  it("a key without a pass cannot chat or read history, but can listen, on every transport", async () => {
    const fred = actors["a free key"] as Actor;
    const send = await fred.post("/trpc/chat.send", { ...room, content: "Hello." });
    expect([send.status, send.body.error.data.error]).toEqual([403, "pass_required"]);
    const read = await fred.get(
      `/trpc/chat.history?input=${encodeURIComponent(JSON.stringify(room))}`,
    );
    expect([read.status, read.body.error.data.error]).toEqual([403, "pass_required"]);
    const listen = await fred.get(`/api/chat-sync?soul_id=${room.soul_id}&session_token=lobby`);
    expect(listen.status).toBe(200);
  });
});
