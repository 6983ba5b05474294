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
const timing = { patienceMs: 1_500, pollMs: 30, climbMs: 100 };

/** Decisions §6: sockets, SSE where those are blocked; design: then polling, and back up. */
describe("joinRoom through a network that blocks", () => {
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

  /** A room with a line in it, and somebody who joins it through the proxy. */
  async function join() {
    const name = { ...lobby, session_token: `room-${++rooms}` };
    await say(vera, name, "first");
    const { client, close } = createHubClient({ baseUrl: proxy.url, key: vera.apiKey });
    const room = joinRoom({ client, ...name, timing });
    const ids = () => room.getSnapshot().messages.map(({ id }) => id);
    let before: number[] = [];
    let isOrdered = true;
    room.subscribe(() => {
      // Nothing that was shown changes its place, and nothing is shown twice.
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
  const arrived = (room: JoinedRoom, via: string) =>
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

  it("comes by socket where it can", async () => {
    proxy.set({ sockets: "open", streams: "open" });
    await using visitor = await join();
    await arrived(visitor.room, "socket");
    expect(visitor.room.getSnapshot()).toMatchObject({
      you: { name: "vera", kind: "member", is_owner: true },
      is_private: false,
    });
  });

  it.each(["refused", "silent"] as const)(
    "misses nothing and shows nothing twice while sockets, then streams are %s, and then open again",
    async (blocked) => {
      proxy.set({ sockets: blocked, streams: "open" });
      await using visitor = await join();
      const { room, name } = visitor;
      let isOver = false;
      const talking = (async () => {
        for (let line = 1; !isOver; line++) {
          await say(vera, name, `line ${line}`);
          // A quick machine would talk her day's quota away while somebody waits for a dead line.
          await setTimeout(200);
        }
      })();
      await arrived(room, "stream");
      const grown = async (count: number) =>
        eventually(() => expect(visitor.ids().length).toBeGreaterThan(count));
      await grown(visitor.ids().length + 4);
      proxy.set({ sockets: blocked, streams: blocked });
      await arrived(room, "poll");
      await grown(visitor.ids().length + 4);
      proxy.set({ sockets: "open", streams: "open" });
      await arrived(room, "socket");
      await grown(visitor.ids().length + 4);
      isOver = true;
      await talking;
      const said = await log(name);
      await eventually(() => expect(visitor.ids()).toEqual(said));
      expect(visitor.isOrdered()).toBe(true);
      await eventually(() => expect(room.getSnapshot().online_count).toBe(1));
    },
  );

  it("climbs from asking to a stream where sockets stay blocked", async () => {
    proxy.set({ sockets: "refused", streams: "refused" });
    await using visitor = await join();
    await arrived(visitor.room, "poll");
    proxy.set({ sockets: "refused", streams: "open" });
    await arrived(visitor.room, "stream");
    await say(vera, visitor.name, "Still there?");
    const said = await log(visitor.name);
    await eventually(() => expect(visitor.ids()).toEqual(said));
  });

  it("gives up a handshake that hangs, and takes the socket that comes up after it", async () => {
    proxy.set({ sockets: "silent", streams: "open" });
    await using visitor = await join();
    await arrived(visitor.room, "stream");
    proxy.heal();
    await expect
      .poll(() => visitor.room.getSnapshot().via, { timeout: 25_000, interval: 50 })
      .toBe("socket");
  });

  it("comes back after everything was cut in the middle of a reply", async () => {
    proxy.set({ sockets: "open", streams: "open" });
    await using visitor = await join();
    const { room, name } = visitor;
    await arrived(room, "socket");
    const goOn = hub.provider.holdNext();
    const reply = say(vera, name, "Is it dark?");
    await eventually(() => expect(room.getSnapshot().replies[0]?.text).toBeTruthy());
    proxy.set({ sockets: "refused", streams: "refused", calls: "refused" });
    await eventually(() => expect(room.getSnapshot().connection).toBe("reconnecting"));
    expect(room.getSnapshot().lost_at).toBeLessThanOrEqual(Date.now());
    goOn();
    await reply;
    proxy.set({ sockets: "open", streams: "open" });
    await arrived(room, "socket");
    const said = await log(name);
    await eventually(() => expect(visitor.ids()).toEqual(said));
    expect(room.getSnapshot().replies).toEqual([]);
    expect(visitor.isOrdered()).toBe(true);
  });

  it("shows a reply as it is written to whoever can only ask", async () => {
    proxy.set({ sockets: "refused", streams: "refused" });
    await using visitor = await join();
    await arrived(visitor.room, "poll");
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

  it("stops for good when the hub says no, whichever way it came", async () => {
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

  it("has sent its key in headers, and never in an address", () => {
    const streams = proxy.seen.filter(({ accept }) => accept?.includes("text/event-stream"));
    expect(streams.length).toBeGreaterThan(0);
    for (const { authorization } of streams) expect(authorization).toBe(`Bearer ${vera.apiKey}`);
    for (const { url } of proxy.seen) expect(url).not.toContain(vera.apiKey);
  });
});
