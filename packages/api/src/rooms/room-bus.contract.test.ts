import { describe, expect, inject, it } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { memoryRoomBus } from "./memory-room-bus.ts";
import { openLink, ownPrefix } from "./redis/redis.fixture.ts";
import { redisRoomBus } from "./redis/redis-room-bus.ts";
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
const idsOf = (heard: BusMessage[]) =>
  heard.map((message) => (message.kind === "message" ? message.event.id : message.kind));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe.each(kinds)("a bus %s", (_, open) => {
  it("brings what is said in a room to everybody who follows it, in order and once", async () => {
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

  it("lets its own server's people hear in the turn of the call", async () => {
    await using servers = await open();
    const heard: BusMessage[] = [];
    await servers.here.subscribe("1/a", (message) => heard.push(message));
    const sent = servers.here.publish("1/a", numbered(1));
    expect(idsOf(heard)).toEqual([1]);
    await sent;
    expect(idsOf(heard)).toEqual([1]);
  });

  it("carries every kind of message as it is", async () => {
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
        kind: "passing",
        from: "n0",
        after: 7,
        except: "account:1",
        event: { type: "typing", sender_name: "ada" },
      },
      {
        kind: "passing",
        from: "n0",
        after: 0,
        event: { type: "reply-delta", reply_id: "r", offset: 3, text: "\ud83e" },
      },
      { kind: "presence", from: "n0" },
      { kind: "recheck", from: "n0", participantId: "account:1" },
      { kind: "recheck", from: "n0", roomPrefix: "7/" },
      { kind: "cancel-reply", from: "n0", replyId: "r", participantId: "guest:x" },
    ];
    const heard: BusMessage[] = [];
    await there.subscribe("*", (message) => heard.push(message));
    for (const message of messages) await here.publish("*", message);
    await eventually(() => expect(heard).toEqual(messages));
  });

  it("lets whoever left hear nothing, and whoever stayed or came back everything", async () => {
    await using servers = await open();
    const { here, there } = servers;
    const [left, stayed, back]: BusMessage[][] = [[], [], []];
    const leave = await there.subscribe("1/a", (message) => left?.push(message));
    const alone = await there.subscribe("1/b", () => expect.fail("it has left"));
    await there.subscribe("1/a", (message) => stayed?.push(message));
    await leave();
    // In one breath, as a page does that is loaded anew.
    const leaving = alone();
    const coming = there.subscribe("1/b", (message) => back?.push(message));
    await Promise.all([leaving, coming]);
    await here.publish("1/a", numbered(1));
    await here.publish("1/b", numbered(2));
    await eventually(() => expect(idsOf(back ?? [])).toEqual([2]));
    expect([idsOf(left ?? []), idsOf(stayed ?? [])]).toEqual([[], [1]]);
    expect(there.listeners).toBeGreaterThanOrEqual(2);
  });

  it("hears exactly the rooms that are followed, after any coming and going", async () => {
    await using servers = await open();
    const { here, there } = servers;
    const heard: BusMessage[] = [];
    const rooms = upTo(20);
    const work = rooms.flatMap((room) =>
      upTo(5).map(async (round) => {
        const leave = await there.subscribe(`1/${room}`, (message) => heard.push(message));
        if (room % 2 === 0 || round < 5) await leave();
      }),
    );
    await Promise.all(work);
    for (const room of rooms) await here.publish(`1/${room}`, numbered(room));
    await there.subscribe("end", (message) => heard.push(message));
    await here.publish("end", numbered(0));
    const followed = rooms.filter((room) => room % 2 === 1);
    await eventually(() => expect(idsOf(heard).at(-1)).toBe(0));
    expect(idsOf(heard)).toEqual([...followed, 0]);
  });
});
