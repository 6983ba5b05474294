import { vi } from "vitest";
import type { ActiveRooms, ActiveRoomsOptions } from "./active-rooms.ts";
import { createActiveRooms } from "./active-rooms.ts";
import { memoryRoomBus } from "./bus/memory-room-bus.ts";
import { EventQueue } from "./delivery/event-queue.ts";
import type { EventSink } from "./delivery/event-sink.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import type { Participant } from "./ports/presence-store.ts";
import type { RoomLog } from "./ports/room-log.ts";
import { memoryPresenceStore } from "./presence/memory-presence-store.ts";
import { ReceivedEvents } from "./received-events.fixture.ts";
import type { RoomChange, RoomMessage, RoomSettings, SoulInRoom } from "./room-events.ts";
import type { SessionOptions } from "./sessions/room-session.ts";

export const ROOM = "1:lobby";

/** Fakes timers and clocks, but not setImmediate, which rooms use to send events. */
export const fakeTime = () =>
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });

/** Runs all pending work except timers of a later time. */
export const settle = () => pass(0);
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

type FakeLog = ReturnType<typeof fakeLog>;

/**
 * Creates the log of one room in memory. `beforeRead` and `afterRead` simulate the duration of a
 * query.
 */
export function fakeLog(beforeRead = async () => {}, afterRead = async () => {}, idStep = () => 1) {
  const messages: RoomMessage[] = [];
  const reads: string[] = [];
  async function read<T>(what: string, answer: () => T): Promise<T> {
    reads.push(what);
    await beforeRead();
    const answered = answer();
    await afterRead();
    return answered;
  }
  const newer = (id: number, limit: number) =>
    messages.filter((message) => message.id > id).slice(0, limit);
  let revision = 0;
  let title = "";
  const souls: SoulInRoom[] = [];
  const room = (): RoomSettings => ({
    revision,
    title: title || (messages[0]?.content ?? ""),
    active_id: null,
    answers: "always",
    talk: "anyone",
    soul_state: "available",
    souls: structuredClone(souls),
  });
  const changedAfter = (since: number) =>
    messages
      .filter((message) => (message.revision ?? 0) > since)
      .sort((one, other) => (one.revision ?? 0) - (other.revision ?? 0));
  const snapshot = (messages: RoomMessage[]) => ({ revision, room: room(), messages });
  const log: RoomLog = {
    load: (_, limit) => read("load", () => snapshot(messages.slice(-limit))),
    changes: (_, since, limit) =>
      read("changes", () => snapshot(changedAfter(since).slice(0, limit))),
    newest: (_, limit) => read("newest", () => messages.slice(-limit)),
    after: (_, id, limit) => read("after", () => newer(id, limit)),
    countAfter: (_, id, limit) => read("countAfter", () => newer(id, limit).length),
    heads: (keys) =>
      read("heads", () => {
        const end = { head: messages.at(-1)?.id ?? 0, revision };
        return new Map(keys.map((key) => [key, end]));
      }),
  };
  return {
    ...log,
    messages,
    souls,
    reads,
    get end() {
      return room();
    },
    append(content = `message ${messages.length + 1}`): RoomMessage {
      const prev_id = messages.at(-1)?.id ?? 0;
      const id = prev_id + idStep();
      const message: RoomMessage = {
        id,
        prev_id,
        parent_id: prev_id || null,
        role: "user",
        sender_name: "ada",
        content,
      };
      messages.push(message);
      return message;
    },
    /** Changes the text of a message, or the room's title if there is no such message. */
    change(text: string, id?: number): RoomChange {
      const prev_revision = revision++;
      const index = messages.findIndex((message) => message.id === id);
      const message = messages[index];
      if (!message) {
        title = text;
        return { revision, prev_revision, room: room() };
      }
      const changed = { ...message, content: text, revision };
      messages[index] = changed;
      return { revision, prev_revision, room: room(), messages: [changed] };
    },
  };
}

export type Reader = ReturnType<typeof joinRoom>;

export const member = (name: string): Participant => ({ id: `u:${name}`, name, kind: "member" });

export function testRooms({
  log = fakeLog(),
  ...options
}: Partial<ActiveRoomsOptions> & { log?: FakeLog } = {}) {
  const bus = memoryRoomBus();
  const store = memoryPresenceStore(() => performance.now());
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const rooms = createActiveRooms({ log, bus, presence: store, nodeId: "n1", onError, ...options });
  return {
    rooms,
    bus,
    log,
    store,
    errors,
    /** Appends a message to the log and publishes it, as a chat call does after its commit. */
    post(content?: string): RoomMessage {
      const message = log.append(content);
      rooms.publishMessages(ROOM, [message]);
      return message;
    },
    /** Changes a message or the room's title, and publishes the change. */
    change(text: string, id?: number): RoomChange {
      const change = log.change(text, id);
      rooms.publishChange(ROOM, change);
      return change;
    },
    join: (participant: Participant, sessionOptions: Partial<SessionOptions> = {}) =>
      joinRoom(rooms, participant, sessionOptions),
  };
}

function joinRoom(rooms: ActiveRooms, participant: Participant, options: Partial<SessionOptions>) {
  const received = new ReceivedEvents();
  const sink = fakeSink((event) => void received.tracked.push(event));
  let session: { end(): void } | undefined;
  const reader = Object.assign(received, {
    error: undefined as unknown,
    isDone: false,
    /** Makes the client stop reading until `resume` is called. */
    stall: sink.fill,
    resume: sink.drain,
    stop: () => session?.end(),
  });
  const onEnd = (failure: unknown) => Object.assign(reader, { error: failure, isDone: true });
  const authorize = async () => {};
  try {
    const all = { lastId: undefined, authorize, sink, onEnd, ...options };
    session = rooms.join(ROOM, participant, all);
  } catch (error) {
    onEnd(error);
  }
  return reader;
}

export interface TestSink extends EventSink {
  /** Makes the sink act as a client that stops reading. */
  fill(): void;
  /** Makes the sink act as a client that has read everything. */
  drain(): void;
}

/** Creates an event sink that hands each event to `take` at once. */
export function fakeSink(take: (event: TrackedRoomEvent) => void): TestSink {
  const listeners: (() => void)[] = [];
  let isEnded = false;
  let bufferedAmount = 0;
  return {
    framePrefix: "1",
    source: undefined,
    get bufferedAmount() {
      return bufferedAmount;
    },
    write({ events }) {
      if (isEnded) throw new Error("written to after its end");
      for (const event of events) take(event);
    },
    onDrain: (listener) => void listeners.push(listener),
    fill() {
      bufferedAmount = Number.POSITIVE_INFINITY;
    },
    drain() {
      bufferedAmount = 0;
      for (const listener of listeners.splice(0)) listener();
    },
    end() {
      isEnded = true;
    },
  };
}

/** Creates an event queue, as SSE uses it, whose reader can be paused. */
export function pausableQueue(take: (event: TrackedRoomEvent) => void): TestSink {
  const queue = new EventQueue();
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  void (async () => {
    for await (const event of queue) {
      await gate.promise;
      take(event);
    }
  })();
  return Object.assign(queue, {
    fill() {
      gate = Promise.withResolvers();
    },
    drain: () => gate.resolve(),
  });
}
