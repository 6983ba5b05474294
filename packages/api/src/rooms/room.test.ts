import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createActiveRooms } from "./active-rooms.ts";
import { memoryRoomBus } from "./bus/memory-room-bus.ts";
import { cursorOf, transientId } from "./event-id.ts";
import {
  fakeLog,
  fakeTime,
  member,
  pass,
  type Reader,
  ROOM,
  settle,
  testRooms,
} from "./room.fixture.ts";

beforeEach(() => void fakeTime());
afterEach(() => void vi.useRealTimers());

const ada = member("ada");
const bob = member("bob");
const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("a subscription", () => {
  it("starts with the missed messages and one sync, then live events", async () => {
    const hub = testRooms();
    for (const text of ["one", "two"]) hub.post(text);
    const reader = hub.join(ada, { lastId: 1 });
    await settle();
    hub.post("three");
    await settle();
    expect(reader.types).toEqual(["message", "sync", "message"]);
    expect(reader.ids).toEqual([2, 3]);
    expect(reader.of("sync")).toEqual([
      {
        type: "sync",
        recovered: true,
        head: 2,
        revision: 0,
        room: {
          revision: 0,
          title: "one",
          active_id: null,
          answers: "always",
          talk: "anyone",
          soul_state: "available",
          souls: [],
        },
        online_count: 1,
        participants: [{ name: "ada", kind: "member", since_id: 2 }],
        replies: [],
      },
    ]);
  });

  it("has head 0 in an empty room", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await settle();
    expect(reader.of("sync")).toMatchObject([{ recovered: true, head: 0 }]);
    hub.post();
    await settle();
    expect(reader.of("message")).toMatchObject([{ id: 1, prev_id: 0 }]);
  });

  it.each([
    ["without last_id the newest 200", 1500, undefined, ids(1301, 1500), true],
    ["up to 1,000 missed messages, each once", 1500, 500, ids(501, 1500), true],
    ["the newest 200 when more than 1,000 behind", 1500, 499, ids(1301, 1500), false],
    ["the newest 200 when beyond the head", 1500, 1501, ids(1301, 1500), false],
    ["nothing when up to date", 1500, 1500, [], true],
    ["all of a short room", 7, 0, ids(1, 7), true],
    ["an empty room beyond its head", 0, 9, [], false],
  ] as const)("gives %s", async (_, stored, lastId, expected, recovered) => {
    const hub = testRooms();
    for (let n = 0; n < stored; n++) hub.log.append();
    const reader = hub.join(ada, { lastId });
    await settle();
    expect(reader.ids).toEqual(expected);
    expect(reader.of("sync")).toMatchObject([{ recovered, head: stored }]);
    expect(reader.types.at(-1)).toBe("sync");
  });

  it("accepts a client that is ahead of the bus", async () => {
    const hub = testRooms();
    hub.join(bob);
    hub.post();
    await settle();
    hub.log.append();
    hub.log.append();
    const reader = hub.join(ada, { lastId: 2 });
    await settle();
    expect(reader.ids).toEqual([3]);
    expect(reader.of("sync")).toMatchObject([{ recovered: true, head: 3 }]);
  });

  it("reads the log once for many clients that reconnect together", async () => {
    const hub = testRooms();
    for (let n = 0; n < 100; n++) hub.log.append();
    const readers = ids(1, 50).map((n) => hub.join(member(`p${n}`), { lastId: 80 }));
    await settle();
    for (const reader of readers) expect(reader.ids).toEqual(ids(81, 100));
    expect(hub.log.reads).toEqual(["load"]);
  });
});

describe("the settings of a room", () => {
  const titles = (reader: Reader) => reader.of("changed").map(({ room }) => room?.title);

  it("get their title from the first message, and keep it when the buffer has dropped it", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await settle();
    hub.post("one");
    hub.post("two");
    await settle();
    expect(reader.of("changed")).toMatchObject([{ revision: 0, room: { title: "one" } }]);
    for (let n = 0; n < 300; n++) hub.post();
    await settle();
    expect((await hub.rooms.poll(ROOM, bob)).room?.title).toBe("one");
    expect(titles(reader)).toEqual(["one"]);
  });

  it("are read again after an outage of the bus, which may have lost a change of a soul", async () => {
    let onGap = () => {};
    const bus = { ...memoryRoomBus(), lossless: false };
    bus.onGap = (listener) => {
      onGap = listener;
      return () => {};
    };
    const hub = testRooms({ bus });
    hub.post("one");
    const reader = hub.join(ada);
    await settle();
    const [{ room } = {}] = reader.of("sync");
    if (!room) throw new Error("The sync event has no settings.");
    const read = { revision: 0, room: { ...room, title: "Later" }, messages: [] };
    vi.spyOn(hub.log, "changes").mockResolvedValueOnce(read);
    onGap();
    await settle();
    expect(titles(reader)).toEqual(["Later"]);
  });

  it("reach a client that was too slow for their event", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await settle();
    reader.stall();
    hub.post("one");
    await settle();
    reader.resume();
    await settle();
    expect(titles(reader)).toEqual(["one"]);
  });
});

it("a log that was deleted and begun anew is sent from its start, although the bus lost the deletion", async () => {
  const hub = testRooms({ bus: { ...memoryRoomBus(), lossless: false } });
  hub.post();
  const reader = hub.join(ada);
  await settle();
  hub.change("Title");
  await settle();
  vi.spyOn(hub.log, "heads").mockResolvedValueOnce(new Map([[ROOM, { head: 9, revision: 0 }]]));
  await pass(5_000);
  expect(reader.types.slice(-2)).toEqual(["message", "sync"]);
  expect(reader.of("sync").map(({ recovered }) => recovered)).toEqual([true, false]);
  expect(reader.isDone).toBe(false);
});

it("a message that does not continue the log begins another one", async () => {
  const hub = testRooms();
  hub.post("deleted");
  const reader = hub.join(ada);
  await settle();
  hub.log.messages.splice(0);
  const anew = Object.assign(hub.log.append("anew"), { id: 9 });
  hub.rooms.publishMessages(ROOM, [anew]);
  await settle();
  expect(reader.ids).toEqual([1, 9]);
  expect(reader.of("sync")).toMatchObject([{ head: 1 }, { recovered: false, head: 9 }]);
});

describe("tracking ids", () => {
  it("let a client resume from persisted and transient events alike", async () => {
    const hub = testRooms();
    hub.post();
    const reader = hub.join(ada);
    await settle();
    hub.rooms.typing(ROOM, bob);
    hub.post();
    await settle();
    expect(reader.tracked.map(({ id }) => cursorOf(id))).toEqual([1, 1, 1, 2]);
    expect(reader.tracked.map(({ id }) => id).slice(0, 1)).toEqual(["1"]);
  });

  it.each(["", "x", "-1", "1.5", "1.n.", "99999999999999999", "1.n.2.3", "1.n.2\n"])(
    "reject %j",
    (id) => expect(cursorOf(id)).toBeUndefined(),
  );

  it("are parsed to the cursor that they were made of", () =>
    expect(cursorOf(transientId(42, "n-1", 7))).toBe(42));
});

describe("a bus that loses, repeats and reorders messages", () => {
  it("causes a read of the log at a gap of prev_id, and no repeated message", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await settle();
    const [one, two, three] = [hub.log.append(), hub.log.append(), hub.log.append()];
    hub.rooms.publishMessages(ROOM, [three, one, three, two]);
    await settle();
    expect(reader.ids).toEqual([1, 2, 3]);
  });

  it("delays reply-done until its message has arrived", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await settle();
    const reply = hub.rooms.startReply(ROOM, { reply_id: "r", sender_name: "ada", content: "?" });
    hub.log.append();
    reply.done(1);
    await settle();
    expect(reader.types).toEqual(["sync", "asked", "message", "changed", "reply-done"]);
  });

  it("sends reply-done although the log could not be read, and the bus was late", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await settle();
    const reply = hub.rooms.startReply(ROOM, { reply_id: "r", sender_name: "ada", content: "?" });
    const message = hub.log.append();
    vi.spyOn(hub.log, "after").mockRejectedValueOnce(new Error("down"));
    reply.done(message.id);
    await settle();
    hub.rooms.publishMessages(ROOM, [message]);
    await pass(1_000);
    expect(reader.types).toEqual(["sync", "asked", "message", "changed", "reply-done"]);
  });

  it("loses no message that arrives while a client's wrong last_id is looked up", async () => {
    let release = () => {};
    let reading = Promise.resolve();
    const hub = testRooms({ log: fakeLog(undefined, () => reading) });
    const reader = hub.join(ada);
    await settle();
    reading = new Promise((resolve) => {
      release = resolve;
    });
    hub.join(bob, { lastId: 99 });
    await settle();
    const [one, two] = [hub.log.append(), hub.log.append()];
    hub.rooms.publishMessages(ROOM, [two, one]);
    release();
    await settle();
    expect(reader.ids).toEqual([1, 2]);
  });

  it("is repaired after a failed read of the log", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await settle();
    vi.spyOn(hub.log, "after").mockRejectedValueOnce(new Error("down"));
    hub.log.append();
    hub.post();
    await pass(1_000);
    expect(reader.ids).toEqual([1, 2]);
    expect(hub.errors).toHaveLength(1);
  });

  it("leaves no room open that could not be loaded", async () => {
    const hub = testRooms();
    vi.spyOn(hub.log, "load").mockRejectedValueOnce(new Error("down"));
    const reader = hub.join(ada);
    await settle();
    expect(reader.error).toEqual(new Error("down"));
    expect(hub.rooms.counts()).toMatchObject({ rooms: 0, sessions: 0, subscriptions: 0 });
    const again = hub.join(ada);
    await settle();
    expect(again.types).toEqual(["sync"]);
  });
});

describe("a reply in progress", () => {
  const question = { reply_id: "r1", sender_name: "ada", content: "Why?" };

  it("sends the first delta at once and batches the others, with offsets in UTF-16 code units", async () => {
    const hub = testRooms();
    const reader = hub.join(bob);
    await settle();
    const reply = hub.rooms.startReply(ROOM, question);
    for (const text of ["Be", "cause 🌍", "!"]) reply.delta(text);
    await pass(39);
    expect(reader.of("reply-delta")).toHaveLength(1);
    await pass(1);
    reply.delta(" So");
    await pass(40);
    hub.post();
    hub.post();
    reply.delta("");
    reply.done(2);
    reply.delta("late");
    await pass(40);
    expect(reader.events.slice(1)).toMatchObject([
      { type: "asked", ...question },
      { type: "reply-delta", reply_id: "r1", offset: 0, text: "Be" },
      { type: "reply-delta", reply_id: "r1", offset: 2, text: "cause 🌍!" },
      { type: "reply-delta", reply_id: "r1", offset: 11, text: " So" },
      { type: "message", id: 1 },
      { type: "message", id: 2 },
      { type: "reply-done", reply_id: "r1", id: 2 },
      { type: "changed", room: { title: "message 1" } },
    ]);
    expect(hub.rooms.counts().replies).toBe(0);
  });

  it("is sent to a late joiner as the text so far, without its earlier deltas", async () => {
    const hub = testRooms();
    const reply = hub.rooms.startReply(ROOM, question);
    reply.delta("So far");
    await pass(40);
    reply.delta(" so good");
    const reader = hub.join(bob);
    await pass(40);
    expect(reader.of("sync")[0]?.replies).toEqual([{ ...question, text: "So far" }]);
    expect(reader.of("reply-delta")).toMatchObject([{ offset: 6, text: " so good" }]);
    reply.fail("cancelled");
    await settle();
    expect(reader.of("reply-failed")).toMatchObject([{ reply_id: "r1", error: "cancelled" }]);
  });

  it("reaches other servers, and is listed only without a gap", async () => {
    const hub = testRooms();
    const onError = () => {};
    const ports = { bus: hub.bus, log: hub.log, presence: hub.store, onError };
    const other = createActiveRooms({ ...ports, nodeId: "n2" });
    const reader = hub.join(bob);
    await settle();
    const reply = other.startReply(ROOM, question);
    reply.delta("Hello");
    await pass(40);
    expect(reader.of("reply-delta")).toMatchObject([{ text: "Hello" }]);
    const delta = { type: "reply-delta" as const, reply_id: "r1", offset: 99, text: "!" };
    const passing = { kind: "transient" as const, from: "n2", after: 0, event: delta };
    await hub.bus.publish(ROOM, passing);
    const late = hub.join(ada);
    await settle();
    expect(late.of("sync")[0]?.replies).toEqual([]);
  });
});

describe("typing", () => {
  it("reaches the other clients once in two seconds", async () => {
    const hub = testRooms();
    const [typist, other] = [hub.join(ada), hub.join(bob)];
    await settle();
    hub.rooms.typing(ROOM, ada);
    hub.rooms.typing(ROOM, ada);
    await pass(1_999);
    hub.rooms.typing(ROOM, ada);
    await settle();
    expect(other.of("typing")).toEqual([{ type: "typing", sender_name: "ada" }]);
    await pass(1);
    hub.rooms.typing(ROOM, ada);
    await settle();
    expect(other.of("typing")).toHaveLength(2);
    expect(typist.of("typing")).toEqual([]);
  });
});

describe("polling", () => {
  it("is answered from memory if nothing is new", async () => {
    const hub = testRooms();
    hub.post();
    expect(await hub.rooms.poll(ROOM, ada)).toMatchObject({
      present: { size: 1 },
      head: undefined,
    });
    await settle();
    expect(await hub.rooms.poll(ROOM, ada)).toMatchObject({ head: 1 });
    hub.post();
    expect(await hub.rooms.poll(ROOM, bob)).toMatchObject({ present: { size: 2 }, head: 2 });
    expect(hub.log.reads).toEqual(["load"]);
    await pass(30_000);
    expect(hub.rooms.counts()).toMatchObject({ rooms: 0, timers: 0 });
    expect(hub.store.rooms).toBe(0);
  });

  it("has no head while the room reads the log", async () => {
    const hub = testRooms({
      log: fakeLog(
        async () => {},
        () => new Promise(() => {}),
      ),
    });
    await hub.rooms.poll(ROOM, ada);
    await settle();
    expect((await hub.rooms.poll(ROOM, ada)).head).toBeUndefined();
  });
});
