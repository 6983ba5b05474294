import { describe, expect, inject, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { openLink, ownPrefix } from "../redis/redis.fixture.ts";
import { redisRoomBus } from "../redis/redis-room-bus.ts";
import { memoryRoomBus } from "./memory-room-bus.ts";
import type { BusMessage, RoomBus } from "./room-bus.ts";

interface Servers extends AsyncDisposable {
  here: RoomBus;
  there: RoomBus;
}

async function inOneProcess(): Promise<Servers> {
  const bus = memoryRoomBus();
  return { here: bus, there: bus, [Symbol.asyncDispose]: async () => {} };
}

async function overRedis(): Promise<Servers> {
  const prefix = ownPrefix();
  const links = await Promise.all([openLink(), openLink()]);
  const onError = (error: unknown) => {
    throw error;
  };
  const [here, there] = links.map((link, n) =>
    redisRoomBus({ link, prefix, nodeId: `n${n}`, onError }),
  );
  return {
    here: here as RoomBus,
    there: there as RoomBus,
    [Symbol.asyncDispose]: async () => void (await Promise.all(links.map((link) => link.close()))),
  };
}

const kinds: [string, () => Promise<Servers>][] = [["in one process", inOneProcess]];
if (inject("services").redis) kinds.push(["over Redis", overRedis]);

const numbered = (id: number, from = "n0"): BusMessage => ({
  kind: "message",
  from,
  event: { type: "message", id, prev_id: id - 1, role: "user", sender_name: "ada", content: "" },
});
const idsOf = (received: BusMessage[]) =>
  received.map((message) => (message.kind === "message" ? message.event.id : message.kind));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe.each(kinds)("a bus %s", (_, open) => {
  it("delivers a room's messages to every listener, in order and once", async () => {
    await using servers = await open();
    const { here, there } = servers;
    const [mine, theirs, elsewhere]: BusMessage[][] = [[], [], []];
    await here.subscribe("1/a", (message) => mine?.push(message));
    await there.subscribe("1/a", (message) => theirs?.push(message));
    await there.subscribe("1/b", (message) => elsewhere?.push(message));
    const sent = upTo(500).map((id) => here.publish("1/a", numbered(id)));
    expect(await Promise.all(sent)).toEqual(sent.map(() => true));
    await here.publish("1/b", numbered(501));
    await eventually(() => expect(idsOf(elsewhere ?? [])).toEqual([501]));
    expect(idsOf(mine ?? [])).toEqual(upTo(500));
    expect(idsOf(theirs ?? [])).toEqual(upTo(500));
  });

  it("delivers to its own server's listeners in the turn of the call", async () => {
    await using servers = await open();
    const received: BusMessage[] = [];
    await servers.here.subscribe("1/a", (message) => received.push(message));
    const sent = servers.here.publish("1/a", numbered(1));
    expect(idsOf(received)).toEqual([1]);
    await sent;
    expect(idsOf(received)).toEqual([1]);
  });

  it("carries every kind of message unchanged", async () => {
    await using servers = await open();
    const { here, there } = servers;
    const messages: BusMessage[] = [
      {
        kind: "message",
        from: "n0",
        event: {
          type: "message",
          id: 2 ** 53 - 1,
          prev_id: 0,
          role: "assistant",
          sender_name: "Orla 🦉",
          content: 'two\nlines, "quoted" \\ \u2028 half a \ud83e and \u0001',
        },
      },
      {
        kind: "transient",
        from: "n0",
        after: 7,
        except: "account:1",
        event: { type: "typing", sender_name: "ada" },
      },
      {
        kind: "transient",
        from: "n0",
        after: 0,
        event: { type: "reply-delta", reply_id: "r", offset: 3, text: "\ud83e" },
      },
      { kind: "presence", from: "n0" },
      { kind: "recheck", from: "n0", participantId: "account:1" },
      { kind: "recheck", from: "n0", roomPrefixes: ["7/"] },
      { kind: "cancel-reply", from: "n0", replyId: "r", participantId: "guest:x" },
    ];
    const received: BusMessage[] = [];
    await there.subscribe("*", (message) => received.push(message));
    for (const message of messages) await here.publish("*", message);
    await eventually(() => expect(received).toEqual(messages));
  });

  it("delivers nothing to a removed listener, and everything to the others", async () => {
    await using servers = await open();
    const { here, there } = servers;
    const [left, stayed, back]: BusMessage[][] = [[], [], []];
    const leave = await there.subscribe("1/a", (message) => left?.push(message));
    const alone = await there.subscribe("1/b", () => expect.fail("it has left"));
    await there.subscribe("1/a", (message) => stayed?.push(message));
    await leave();
    // Unsubscribes and subscribes in one turn of the event loop, as happens when a page is
    // reloaded.
    const leaving = alone();
    const coming = there.subscribe("1/b", (message) => back?.push(message));
    await Promise.all([leaving, coming]);
    await here.publish("1/a", numbered(1));
    await here.publish("1/b", numbered(2));
    await eventually(() => expect(idsOf(back ?? [])).toEqual([2]));
    expect([idsOf(left ?? []), idsOf(stayed ?? [])]).toEqual([[], [1]]);
    expect(there.listeners).toBeGreaterThanOrEqual(2);
  });

  it("delivers exactly the subscribed channels, after any sequence of changes", async () => {
    await using servers = await open();
    const { here, there } = servers;
    const received: BusMessage[] = [];
    const rooms = upTo(20);
    const work = rooms.flatMap((room) =>
      upTo(5).map(async (round) => {
        const leave = await there.subscribe(`1/${room}`, (message) => received.push(message));
        if (room % 2 === 0 || round < 5) await leave();
      }),
    );
    await Promise.all(work);
    for (const room of rooms) await here.publish(`1/${room}`, numbered(room));
    await there.subscribe("end", (message) => received.push(message));
    await here.publish("end", numbered(0));
    const followed = rooms.filter((room) => room % 2 === 1);
    await eventually(() => expect(idsOf(received).at(-1)).toBe(0));
    expect(idsOf(received)).toEqual([...followed, 0]);
  });
});
