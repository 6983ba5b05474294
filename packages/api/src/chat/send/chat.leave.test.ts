import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, history, remaining, say, sayOnPage, signedIn } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs, type LiveVisitor, openSocket } from "../../testing/live-visitor.ts";

/** Decisions §5, Provider: disconnects and cancellation. */
describeRoom("a reply in progress", {}, (hub, vera, room) => {
  let page: Actor;
  let watcher: LiveVisitor;

  beforeAll(async () => {
    page = await signedIn(hub, "paul");
  });
  beforeEach(async () => {
    watcher = joinAs(hub, vera, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    return () => watcher.close();
  });

  /**
   * Resolves with the request that the provider received, once the room has the reply's first
   * words.
   */
  const started = async (requests: number) => {
    const seen = await hub.provider.received(requests + 1);
    await eventually(() => expect(watcher.types).toContain("reply-delta"));
    return seen;
  };
  const disconnectMidway = async (
    actor: Actor,
    path: string,
    headers: Record<string, string> = {},
  ) => {
    const requests = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const client = new AbortController();
    const cookie = [...actor.cookies].map((pair) => pair.join("=")).join("; ");
    const call = fetch(hub.url + path, {
      method: "POST",
      body: JSON.stringify({ ...room, content: "Is it dark?" }),
      signal: client.signal,
      headers: {
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        ...(actor.apiKey ? { authorization: `Bearer ${actor.apiKey}` } : { cookie }),
        ...headers,
      },
    }).then((response) => response.text());
    const seen = await started(requests);
    client.abort();
    await expect(call).rejects.toThrow();
    return { seen, release };
  };

  it.each([
    ["JSON", {}],
    ["a stream", { accept: "text/event-stream" }],
  ])("is cancelled and refunded when a REST caller of %s disconnects", async (_, headers) => {
    const left = await remaining(vera);
    const { seen, release } = await disconnectMidway(vera, "/api/chat", headers);
    expect(await seen.ended).toBe("cancelled");
    await eventually(() => expect(watcher.of("reply-failed")[0]?.error).toBe("cancelled"));
    await eventually(async () => expect(await remaining(vera)).toBe(left));
    expect((await history(vera, room)).body.messages).toEqual([]);
    expect(hub.hub.replies.size).toBe(0);
    release();
  });

  it("never starts if a waiting REST caller disconnects", async () => {
    const requests = hub.provider.requests.length;
    const releases = Array.from({ length: 8 }, () => hub.provider.holdNext());
    const running = releases.map(() => say(vera, room, "Slowly, please."));
    await hub.provider.received(requests + 8);
    const client = new AbortController();
    const ninth = fetch(`${hub.url}/api/chat`, {
      method: "POST",
      body: JSON.stringify({ ...room, content: "Never mind." }),
      signal: client.signal,
      headers: { "content-type": "application/json", authorization: `Bearer ${vera.apiKey}` },
    });
    await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(1));
    client.abort();
    await expect(ninth).rejects.toThrow();
    await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(0));
    for (const release of releases) release();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
    expect(hub.provider.requests).toHaveLength(requests + 8);
  });

  it("continues when its page is closed", async () => {
    const left = await remaining(page);
    const { seen, release } = await disconnectMidway(page, "/trpc/chat.send");
    release();
    expect(await seen.ended).toBe("answered");
    await eventually(() => expect(watcher.types).toContain("reply-done"));
    expect((await history(vera, room)).body.messages).toHaveLength(2);
    expect(await remaining(page)).toBe(left - 1);
  });

  it("continues when its socket breaks", async () => {
    const requests = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    await using socket = openSocket(hub, page);
    const call = socket.client.chat.send.mutate({ ...room, content: "Is it dark?" });
    await started(requests);
    socket.cut();
    await expect(call).rejects.toThrow();
    release();
    await eventually(() => expect(watcher.types).toContain("reply-done"));
    expect((await history(vera, room)).body.messages).toHaveLength(2);
  });

  describe("chat.cancel", () => {
    /** Sends a message from the page, and pauses the provider while it writes the reply. */
    const startReply = async () => {
      const requests = hub.provider.requests.length;
      const asked = watcher.of("asked").length;
      const release = hub.provider.holdNext();
      const call = sayOnPage(page, room, "Is it dark?");
      const seen = await started(requests);
      await eventually(() => expect(watcher.of("asked")).toHaveLength(asked + 1));
      const reply_id = watcher.of("asked").at(-1)?.reply_id ?? "";
      return { seen, call, release, reply_id };
    };

    it("by the requester cancels the provider call, sends reply-failed and refunds the unit", async () => {
      const left = await remaining(page);
      const { seen, call, reply_id } = await startReply();
      expect((await page.post("/trpc/chat.cancel", { reply_id })).status).toBe(200);
      expect(await seen.ended).toBe("cancelled");
      expect(failureOf(await call)).toEqual([409, "cancelled"]);
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

    it("by the room's owner cancels the reply", async () => {
      await say(vera, room, "My room.");
      await eventually(() => expect(watcher.types).toContain("reply-done"));
      const { call, reply_id } = await startReply();
      await vera.post("/trpc/chat.cancel", { reply_id });
      expect((await call).status).toBe(409);
    });

    it("by any other caller has no effect, and the response gives no reason", async () => {
      const { call, release, reply_id } = await startReply();
      const stranger = await hub.member("stranger");
      const answers = [
        await stranger.post("/trpc/chat.cancel", { reply_id }),
        await hub.guest().post("/trpc/chat.cancel", { reply_id }),
        await stranger.post("/trpc/chat.cancel", { reply_id: "no such reply" }),
      ];
      const message = "If the reply was in progress, it is cancelled.";
      for (const { status, body } of answers) {
        expect([status, body.result.data]).toEqual([200, { message }]);
      }
      release();
      expect((await call).status).toBe(200);
    });
  });
});
