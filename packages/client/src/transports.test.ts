import { setTimeout } from "node:timers/promises";
import {
  type ChatHub,
  eventually,
  openRoom,
  type RoomName,
  say,
  startChatHub,
  sync,
} from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HubProxy, startHubProxy } from "./hub-proxy.fixture.ts";
import { type JoinedRoom, joinRoom } from "./join-room.ts";
import { createHubClient } from "./links.ts";

type Actor = Awaited<ReturnType<ChatHub["vip"]>>;
const timing = { timeoutMs: 1_500, pollMs: 30, upgradeMs: 100 };

/**
 * The transport order of decisions §6 and 0018: WebSocket, then SSE, then polling. A client returns
 * to a better transport when possible.
 */
describe("joinRoom through a network that blocks transports", () => {
  let hub: ChatHub;
  let vera: Actor;
  let proxy: HubProxy;
  let lobby: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    hub = await startChatHub();
    vera = await hub.vip("vera");
    lobby = await openRoom(vera);
    proxy = await startHubProxy(hub.url);
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await hub?.close();
  });

  /** Opens a room with one message and joins it through the proxy. */
  async function join() {
    const name = { ...lobby, session_token: `room-${++rooms}` };
    await say(vera, name, "first");
    const { client, close } = createHubClient({ baseUrl: proxy.url, key: vera.apiKey });
    const room = joinRoom({ client, ...name, timing });
    const ids = () => room.getSnapshot().messages.map(({ id }) => id);
    let before: number[] = [];
    let isOrdered = true;
    room.subscribe(() => {
      // Each snapshot has all messages of the previous one. New messages follow, with increasing
      // ids.
      const now = ids();
      isOrdered &&= before.every((id, at) => now[at] === id);
      isOrdered &&= now.every((id, at) => at === 0 || id > (now[at - 1] ?? 0));
      before = now;
    });
    return {
      name,
      room,
      ids,
      isOrdered: () => isOrdered,
      async [Symbol.asyncDispose]() {
        room.close();
        await close();
      },
    };
  }
  const isLiveVia = (room: JoinedRoom, via: string) =>
    eventually(() => expect(room.getSnapshot()).toMatchObject({ connection: "live", via }));
  const log = async (name: RoomName): Promise<number[]> => {
    const ids: number[] = [];
    let page: { new_messages: { id: number }[]; has_more: boolean };
    do {
      page = (await sync(vera, name, { last_id: ids.at(-1) ?? 0 })).body;
      ids.push(...page.new_messages.map(({ id }) => id));
    } while (page.has_more);
    return ids;
  };

  it("uses a WebSocket where the network allows it", async () => {
    proxy.set({ sockets: "open", streams: "open" });
    await using visitor = await join();
    await isLiveVia(visitor.room, "socket");
    expect(visitor.room.getSnapshot()).toMatchObject({
      you: { name: "vera", kind: "member", is_owner: true },
      is_private: false,
    });
  });

  it.each(["refused", "silent"] as const)(
    "loses and repeats nothing while sockets, then streams are %s, then open again",
    async (blocked) => {
      proxy.set({ sockets: blocked, streams: "open" });
      await using visitor = await join();
      const { room, name } = visitor;
      let isOver = false;
      const talking = (async () => {
        for (let line = 1; !isOver; line++) {
          await say(vera, name, `line ${line}`);
          // Without a pause, a fast machine would use up the daily quota of messages while the test
          // waits for timeouts.
          await setTimeout(200);
        }
      })();
      await isLiveVia(room, "stream");
      const grown = async (count: number) =>
        eventually(() => expect(visitor.ids().length).toBeGreaterThan(count));
      await grown(visitor.ids().length + 4);
      proxy.set({ sockets: blocked, streams: blocked });
      await isLiveVia(room, "poll");
      await grown(visitor.ids().length + 4);
      proxy.set({ sockets: "open", streams: "open" });
      await isLiveVia(room, "socket");
      await grown(visitor.ids().length + 4);
      isOver = true;
      await talking;
      const said = await log(name);
      await eventually(() => expect(visitor.ids()).toEqual(said));
      expect(visitor.isOrdered()).toBe(true);
      await eventually(() => expect(room.getSnapshot().online_count).toBe(1));
    },
  );

  it("upgrades from polling to SSE while sockets stay blocked", async () => {
    proxy.set({ sockets: "refused", streams: "refused" });
    await using visitor = await join();
    await isLiveVia(visitor.room, "poll");
    proxy.set({ sockets: "refused", streams: "open" });
    await isLiveVia(visitor.room, "stream");
    await say(vera, visitor.name, "Still there?");
    const said = await log(visitor.name);
    await eventually(() => expect(visitor.ids()).toEqual(said));
  });

  it("gives up a hanging handshake, and uses the next socket", async () => {
    proxy.set({ sockets: "silent", streams: "open" });
    await using visitor = await join();
    await isLiveVia(visitor.room, "stream");
    proxy.heal();
    await expect
      .poll(() => visitor.room.getSnapshot().via, { timeout: 25_000, interval: 50 })
      .toBe("socket");
  });

  it("recovers after losing every connection in the middle of a reply", async () => {
    proxy.set({ sockets: "open", streams: "open" });
    await using visitor = await join();
    const { room, name } = visitor;
    await isLiveVia(room, "socket");
    const goOn = hub.provider.holdNext();
    const reply = say(vera, name, "Is it dark?");
    await eventually(() => expect(room.getSnapshot().replies[0]?.text).toBeTruthy());
    proxy.set({ sockets: "refused", streams: "refused", calls: "refused" });
    await eventually(() => expect(room.getSnapshot().connection).toBe("reconnecting"));
    expect(room.getSnapshot().lost_at).toBeLessThanOrEqual(Date.now());
    goOn();
    await reply;
    proxy.set({ sockets: "open", streams: "open" });
    await isLiveVia(room, "socket");
    const said = await log(name);
    await eventually(() => expect(visitor.ids()).toEqual(said));
    expect(room.getSnapshot().replies).toEqual([]);
    expect(visitor.isOrdered()).toBe(true);
  });

  it("shows a streaming reply while polling", async () => {
    proxy.set({ sockets: "refused", streams: "refused" });
    await using visitor = await join();
    await isLiveVia(visitor.room, "poll");
    const goOn = hub.provider.holdNext();
    const reply = say(vera, visitor.name, "Is it dark?");
    await eventually(() =>
      expect(visitor.room.getSnapshot().replies).toMatchObject([
        { sender_name: "vera", content: "Is it dark?", text: expect.stringMatching(/./) },
      ]),
    );
    goOn();
    await reply;
    await eventually(() => expect(visitor.ids()).toHaveLength(4));
    expect(visitor.room.getSnapshot().replies).toEqual([]);
  });

  it("closes permanently when the hub refuses over SSE", async () => {
    proxy.set({ sockets: "refused", streams: "open" });
    const { client, close } = createHubClient({ baseUrl: proxy.url, key: vera.apiKey });
    const room = joinRoom({ client, soul_id: 4_711, session_token: "nowhere", timing });
    await eventually(() =>
      expect(room.getSnapshot()).toMatchObject({
        connection: "closed",
        error: { code: "soul_not_found" },
      }),
    );
    room.close();
    await close();
  });

  it("sends the key in headers and never in a URL", () => {
    const streams = proxy.seen.filter(({ accept }) => accept?.includes("text/event-stream"));
    expect(streams.length).toBeGreaterThan(0);
    for (const { authorization } of streams) expect(authorization).toBe(`Bearer ${vera.apiKey}`);
    for (const { url } of proxy.seen) expect(url).not.toContain(vera.apiKey);
  });
});
