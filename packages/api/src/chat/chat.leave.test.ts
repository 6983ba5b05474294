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
  signedIn,
  startChatHub,
} from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs, type LiveVisitor, openSocket } from "../testing/live-visitor.ts";
import { testDatabases } from "../testing/test-database.ts";

/** Decisions §5, Provider: whose reply it is, and who may stop it. */
describe.each(testDatabases())("a reply that is being written (on %s)", (database) => {
  let hub: ChatHub;
  let vera: Actor;
  let page: Actor;
  let room: RoomName;
  let rooms = 0;
  let watcher: LiveVisitor;

  beforeAll(async () => {
    hub = await startChatHub({ database });
    vera = await hub.vip("vera");
    page = await signedIn(hub, "paul");
    room = await openRoom(vera);
  });
  beforeEach(async () => {
    room = { ...room, session_token: `room-${++rooms}` };
    watcher = joinAs(hub, vera, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    return () => watcher.close();
  });
  afterAll(() => hub.close());

  /** The request as the provider sees it, once the room has heard its first words. */
  const begun = async (asked: number) => {
    const seen = await hub.provider.received(asked + 1);
    await eventually(() => expect(watcher.types).toContain("reply-delta"));
    return seen;
  };
  const leaveMidway = async (actor: Actor, path: string, headers: Record<string, string> = {}) => {
    const asked = hub.provider.requests.length;
    const goOn = hub.provider.holdNext();
    const leaving = new AbortController();
    const cookie = [...actor.cookies].map((pair) => pair.join("=")).join("; ");
    const call = fetch(hub.url + path, {
      method: "POST",
      body: JSON.stringify({ ...room, content: "Is it dark?" }),
      signal: leaving.signal,
      headers: {
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        ...(actor.apiKey ? { authorization: `Bearer ${actor.apiKey}` } : { cookie }),
        ...headers,
      },
    }).then((response) => response.text());
    const seen = await begun(asked);
    leaving.abort();
    await expect(call).rejects.toThrow();
    return { seen, goOn };
  };

  it.each([
    ["JSON", {}],
    ["a stream", { accept: "text/event-stream" }],
  ])(
    "is cancelled when the REST caller who asked for %s goes away, and costs nothing",
    async (_, headers) => {
      const left = await remaining(vera);
      const { seen, goOn } = await leaveMidway(vera, "/api/chat", headers);
      expect(await seen.ended).toBe("cancelled");
      await eventually(() => expect(watcher.of("reply-failed")[0]?.error).toBe("cancelled"));
      await eventually(async () => expect(await remaining(vera)).toBe(left));
      expect((await history(vera, room)).body.messages).toEqual([]);
      expect(hub.hub.replies.size).toBe(0);
      goOn();
    },
  );

  it("is not begun when the REST caller goes away who waited for a turn", async () => {
    const asked = hub.provider.requests.length;
    const goOn = Array.from({ length: 8 }, () => hub.provider.holdNext());
    const running = goOn.map(() => say(vera, room, "Slowly, please."));
    await hub.provider.received(asked + 8);
    const leaving = new AbortController();
    const ninth = fetch(`${hub.url}/api/chat`, {
      method: "POST",
      body: JSON.stringify({ ...room, content: "Never mind." }),
      signal: leaving.signal,
      headers: { "content-type": "application/json", authorization: `Bearer ${vera.apiKey}` },
    });
    await eventually(() => expect(hub.hub.turns.waiting).toBe(1));
    leaving.abort();
    await expect(ninth).rejects.toThrow();
    await eventually(() => expect(hub.hub.turns.waiting).toBe(0));
    for (const release of goOn) release();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
    expect(hub.provider.requests).toHaveLength(asked + 8);
  });

  it("goes on when the page that asked for it is closed", async () => {
    const left = await remaining(page);
    const { seen, goOn } = await leaveMidway(page, "/trpc/chat.send");
    goOn();
    expect(await seen.ended).toBe("answered");
    await eventually(() => expect(watcher.types).toContain("reply-done"));
    expect((await history(vera, room)).body.messages).toHaveLength(2);
    expect(await remaining(page)).toBe(left - 1);
  });

  it("goes on when the socket that asked for it breaks", async () => {
    const asked = hub.provider.requests.length;
    const goOn = hub.provider.holdNext();
    await using asker = openSocket(hub, page);
    const call = asker.client.chat.send.mutate({ ...room, content: "Is it dark?" });
    await begun(asked);
    asker.cut();
    await expect(call).rejects.toThrow();
    goOn();
    await eventually(() => expect(watcher.types).toContain("reply-done"));
    expect((await history(vera, room)).body.messages).toHaveLength(2);
  });

  describe("chat.cancel", () => {
    /** A reply in the air, asked for on the page. */
    const inTheAir = async () => {
      const asked = hub.provider.requests.length;
      const goOn = hub.provider.holdNext();
      const call = sayOnPage(page, room, "Is it dark?");
      const seen = await begun(asked);
      const reply_id = watcher.of("asked").at(-1)?.reply_id ?? "";
      return { seen, call, goOn, reply_id };
    };

    it("by its asker stops the provider, fails the call, tells the room and costs nothing", async () => {
      const left = await remaining(page);
      const { seen, call, reply_id } = await inTheAir();
      expect((await page.post("/trpc/chat.cancel", { reply_id })).status).toBe(200);
      expect(await seen.ended).toBe("cancelled");
      const { status, body } = await call;
      expect([status, body.error.data.error]).toEqual([409, "cancelled"]);
      await eventually(() =>
        expect(watcher.of("reply-failed")).toEqual([
          { type: "reply-failed", reply_id, error: "cancelled" },
        ]),
      );
      expect(await remaining(page)).toBe(left);
      expect((await history(vera, room)).body.messages).toEqual([]);
      expect((await page.post("/trpc/chat.cancel", { reply_id })).status).toBe(200);
      expect(await remaining(page)).toBe(left);
    });

    it("by the room's owner works, too", async () => {
      await say(vera, room, "My room.");
      const { call, reply_id } = await inTheAir();
      await vera.post("/trpc/chat.cancel", { reply_id });
      expect((await call).status).toBe(409);
    });

    it("by anybody else does nothing, and does not say why", async () => {
      const { call, goOn, reply_id } = await inTheAir();
      const stranger = await hub.member(`stranger-${rooms}`);
      const answers = [
        await stranger.post("/trpc/chat.cancel", { reply_id }),
        await hub.guest().post("/trpc/chat.cancel", { reply_id }),
        await stranger.post("/trpc/chat.cancel", { reply_id: "no such reply" }),
      ];
      for (const { status, body } of answers) expect([status, body.result.data]).toEqual([200, {}]);
      goOn();
      expect((await call).status).toBe(200);
    });
  });
});
