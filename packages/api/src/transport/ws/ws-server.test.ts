import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName, signedIn } from "../../testing/chat-hub.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { failureCode, joinAs, openSocket } from "../../testing/live-visitor.ts";
import { startTestHub } from "../../testing/test-hub.ts";

/** Live rooms and calls over WebSockets (decisions §6, Sockets). */
describeHub("the WebSocket transport", {}, (hub) => {
  let ada: Actor;
  let page: Actor;
  let room: RoomName;
  const address = () => hub.url.replace("http", "ws");
  const cookieOf = (actor: Actor) => [...actor.cookies].map((pair) => pair.join("=")).join("; ");

  beforeAll(async () => {
    ada = await hub.member("ada");
    page = await signedIn(hub, "sue");
    room = await openRoom(ada);
  });

  /** Opens a WebSocket. Resolves with [101], or with the status and error of the refusal. */
  const upgrade = async (path: string, headers: Record<string, string> = {}) => {
    const socket = new WebSocket(address() + path, { headers });
    const { promise, resolve, reject } = Promise.withResolvers<[number, string?]>();
    socket.once("open", () => resolve([101]));
    socket.once("unexpected-response", async (_, response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      const { success, error, request_id } = JSON.parse(text);
      expect([success, typeof request_id]).toEqual([false, "string"]);
      resolve([response.statusCode ?? 0, error]);
    });
    socket.once("error", reject);
    return promise.finally(() => socket.terminate());
  };

  describe("at the upgrade", () => {
    it.each([
      ["from any client", {}],
      ["from a foreign page", { origin: "https://evil.example" }],
    ])("accepts a guest without a cookie, %s", async (_, headers) => {
      expect(await upgrade("/trpc", { ...headers })).toEqual([101]);
    });

    it("accepts a cookie only from the hub's own pages", async () => {
      const cookie = cookieOf(page);
      expect(await upgrade("/trpc", { cookie, origin: hub.url })).toEqual([101]);
      for (const headers of [
        { cookie, origin: "https://evil.example" },
        { cookie, origin: "null" },
        { cookie },
        { cookie, origin: hub.url, "sec-fetch-site": "cross-site" },
      ]) {
        expect(await upgrade("/trpc", headers)).toEqual([403, "csrf_rejected"]);
      }
    });

    it("accepts a guest's cookie only from the hub's own pages", async () => {
      const guest = hub.guest();
      await guest.get("/api/chat-quota");
      const cookie = cookieOf(guest);
      expect(await upgrade("/trpc", { cookie, origin: hub.url })).toEqual([101]);
      expect(await upgrade("/trpc", { cookie, origin: "https://evil.example" })).toEqual([
        403,
        "csrf_rejected",
      ]);
    });

    it.each(["/", "/api", "/api/chat", "/trpc/", "/trpc/rooms.live", "/trpcx", "/%"])(
      "responds with 404 at %s",
      async (path) => {
        expect(await upgrade(path)).toEqual([404, "not_found"]);
      },
    );

    it.each([
      ["//", "hub", "404"],
      ["//evil.example/trpc", "hub", "404"],
      ["http://[", "hub", "404"],
      ["/trpc", "[", "400"],
      ["/trpc", "hub:99999", "400"],
    ])("survives a request for %s at host %s", async (path, host, status) => {
      const answer = await new Promise<string>((resolve, reject) => {
        const { port, hostname } = new URL(hub.url);
        const socket = connect(Number(port), hostname, () =>
          socket.write(
            `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
          ),
        );
        let text = "";
        socket.on("data", (data) => {
          text += data;
        });
        socket.on("close", () => resolve(text)).on("error", reject);
      });
      expect(answer).toContain(`HTTP/1.1 ${status} `);
      expect((await hub.guest().get("/healthz")).status).toBe(200);
    });
  });

  it("authenticates by a key in connectionParams, or by a session cookie", async () => {
    await using byKey = openSocket(hub, ada);
    await using byCookie = openSocket(hub, page);
    const names = await Promise.all(
      [byKey, byCookie].map((socket) => socket.client.accounts.me.query()),
    );
    expect(names.map(({ user }) => user.username)).toEqual(["ada", "sue"]);
    await using anonymous = openSocket(hub, { apiKey: "", cookies: new Map() });
    expect(await anonymous.client.accounts.me.query().catch(failureCode)).toBe("unauthenticated");
  });

  it("allows 32 subscriptions per socket, and another one after one of them has ended", async () => {
    await using socket = openSocket(hub, ada);
    const held = Array.from({ length: 32 }, () => socket.join(room));
    await eventually(() => {
      for (const one of held) expect(one.types).toContain("sync");
    });
    const refused = socket.join(room);
    await eventually(() => expect(refused.endedBy).toBe("rate_limited"));
    held[7]?.leave();
    await eventually(async () => {
      const next = socket.join(room);
      await eventually(() => expect(next.endedBy ?? next.types[0]).toBeDefined());
      expect(next.types).toContain("sync");
    });
    expect([socket.connects, held[0]?.endedBy]).toEqual([1, undefined]);
  });

  it("restores all 32 subscriptions after a reconnect", async () => {
    await using socket = openSocket(hub, ada);
    const held = Array.from({ length: 32 }, () => socket.join(room));
    const synced = (times: number) =>
      eventually(() => {
        for (const one of held) expect(one.of("sync")).toHaveLength(times);
      });
    await synced(1);
    socket.cut();
    await synced(2);
    expect(held.map(({ endedBy }) => endedBy).filter(Boolean)).toEqual([]);
  });

  describe("with a raw socket", () => {
    const open = async () => {
      const socket = new WebSocket(`${address()}/trpc`);
      const frames: { id: number; result?: unknown; error?: { data: { error: string } } }[] = [];
      socket.on("message", (data) => frames.push(JSON.parse(String(data))));
      const closed = new Promise<number>((resolve) => socket.once("close", resolve));
      await new Promise((resolve) => socket.once("open", resolve));
      return { socket, frames, closed };
    };
    const call = (id: number) => ({
      id,
      method: "query",
      params: { path: "souls.list", input: {} },
    });

    it("accepts 64 calls in a frame, and refuses 65", async () => {
      const { socket, frames } = await open();
      socket.send(JSON.stringify(Array.from({ length: 64 }, (_, id) => call(id))));
      await eventually(() => expect(frames).toHaveLength(64));
      expect(frames.filter(({ error }) => error)).toEqual([]);
      socket.send(JSON.stringify(Array.from({ length: 65 }, (_, id) => call(100 + id))));
      await eventually(() => expect(frames).toHaveLength(64 + 65));
      for (const { error } of frames.slice(64)) expect(error?.data.error).toBe("invalid_input");
      socket.terminate();
    });

    it("closes on a frame over 64 KB, and no other socket is affected", async () => {
      await using other = joinAs(hub, ada, room);
      const { socket, closed } = await open();
      socket.on("error", () => undefined);
      socket.send("x".repeat(64 * 1024 + 1));
      expect(await closed).toBe(1009);
      await eventually(() => expect(other.types).toContain("sync"));
      expect(other.connects).toBe(1);
    });

    it("closes on more than 50 frames in a second, and ignores later frames", async () => {
      const socket = new WebSocket(`${address()}/trpc`, {
        headers: { authorization: `Bearer ${ada.apiKey}` },
      });
      const closed = new Promise<number>((resolve) => socket.once("close", resolve));
      await new Promise((resolve) => socket.once("open", resolve));
      for (let id = 0; id < 120; id++) {
        const params = { path: "souls.publish", input: { title: "Flood", content: `${id}` } };
        socket.send(JSON.stringify({ id, method: "mutation", params }));
      }
      expect(await closed).toBe(1008);
      const stored = async () => (await ada.get("/api/souls?q=Flood")).body.total;
      await eventually(async () => expect(await stored()).toBeGreaterThanOrEqual(50));
      expect(await stored()).toBeLessThan(100);
    });

    it.each([
      "{",
      "null",
      "[]",
      '"x"',
      '{"id":1}',
      '{"id":1,"method":"query","params":{"path":"no.such"}}',
    ])("responds to %s without closing", async (frame) => {
      const { socket, frames } = await open();
      socket.send(frame);
      socket.send(JSON.stringify(call(7)));
      await eventually(() => expect(frames.map(({ id }) => id)).toContain(7));
      expect(frames.find(({ id }) => id !== 7)?.error?.data.error ?? "invalid_json").toMatch(
        /^(invalid_json|not_found)$/,
      );
      socket.terminate();
    });
  });
});

it("a stopping hub closes its sockets and releases everything", async () => {
  const hub = await startTestHub();
  const ida = await hub.member("ida");
  const room = await openRoom(ida);
  const visitor = joinAs(hub, ida, room, { retryDelayMs: () => 60_000 });
  await eventually(() => expect(visitor.types).toContain("sync"));
  await hub.close();
  await eventually(() => expect(visitor.isOpen).toBe(false));
  expect(hub.hub.rooms.counts()).toEqual({
    rooms: 0,
    sessions: 0,
    subscriptions: 0,
    timers: 0,
    replies: 0,
  });
  // The client subscribes again after it has reconnected, so the subscription must not be over.
  expect(visitor.endedBy).toBeUndefined();
  // The test does not await `visitor.close()`, since the client would first try to reconnect.
  void visitor.close();
});
