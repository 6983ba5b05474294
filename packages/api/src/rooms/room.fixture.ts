import { vi } from "vitest";
import type { ActiveRooms, ActiveRoomsOptions } from "./active-rooms.ts";
import { createActiveRooms } from "./active-rooms.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import { memoryPresenceStore } from "./memory-presence-store.ts";
import type { MemoryRoomBus } from "./memory-room-bus.ts";
import { memoryRoomBus } from "./memory-room-bus.ts";
import type { Participant } from "./presence-store.ts";
import type { RoomEvent, RoomMessage } from "./room-events.ts";
import type { RoomLog } from "./room-log.ts";
import type { EnterOptions } from "./room-session.ts";

export const ROOM = "1:lobby";

/** Lets everything that waits for nothing but a turn happen. */
export const settle = () => vi.advanceTimersByTimeAsync(0);
export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

export interface FakeLog extends RoomLog {
  readonly messages: RoomMessage[];
  readonly reads: string[];
  append(content?: string): RoomMessage;
}

/** The log of one room. `beforeRead` and `afterRead` stand for the time a query takes. */
export function fakeLog(
  beforeRead = async () => {},
  afterRead = async () => {},
  idStep = () => 1,
): FakeLog {
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
  return {
    messages,
    reads,
    newest: (_, limit) => read("newest", () => messages.slice(-limit)),
    after: (_, id, limit) => read("after", () => newer(id, limit)),
    countAfter: (_, id, limit) => read("countAfter", () => newer(id, limit).length),
    heads: (keys) =>
      read("heads", () => new Map(keys.map((key) => [key, messages.at(-1)?.id ?? 0]))),
    append(content = `message ${messages.length + 1}`) {
      const prev_id = messages.at(-1)?.id ?? 0;
      const id = prev_id + idStep();
      const message: RoomMessage = { id, prev_id, role: "user", sender_name: "ada", content };
      messages.push(message);
      return message;
    },
  };
}

export interface Reader {
  readonly events: TrackedRoomEvent[];
  readonly types: string[];
  /** Ids of the durable messages, in the order they came. */
  readonly ids: number[];
  error: unknown;
  isDone: boolean;
  of<T extends RoomEvent["type"]>(type: T): Extract<RoomEvent, { type: T }>[];
  stop(): void;
}

export interface TestRooms {
  rooms: ActiveRooms;
  bus: MemoryRoomBus;
  log: FakeLog;
  store: ReturnType<typeof memoryPresenceStore>;
  errors: unknown[];
  /** Writes to the log and publishes, as chat does after its commit. */
  post(content?: string): RoomMessage;
  enter(participant: Participant, options?: Partial<EnterOptions>): Reader;
}

export const member = (name: string): Participant => ({ id: `u:${name}`, name, kind: "member" });

export function testRooms(options: Partial<ActiveRoomsOptions> = {}): TestRooms {
  const log = fakeLog();
  const bus = memoryRoomBus();
  const store = memoryPresenceStore(() => performance.now());
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const rooms = createActiveRooms({ log, bus, presence: store, nodeId: "n1", onError, ...options });
  let connections = 0;
  return {
    rooms,
    bus,
    log,
    store,
    errors,
    post(content) {
      const message = log.append(content);
      rooms.publishMessages(ROOM, [message]);
      return message;
    },
    enter(participant, enterOptions = {}) {
      const abort = new AbortController();
      const stream = rooms.enter(ROOM, participant, {
        lastId: undefined,
        connectionId: `c${++connections}`,
        signal: abort.signal,
        mayStay: async () => {},
        ...enterOptions,
      });
      return read(stream, () => abort.abort());
    },
  };
}

function read(stream: AsyncIterable<TrackedRoomEvent>, stop: () => void): Reader {
  const events: TrackedRoomEvent[] = [];
  const reader: Reader = {
    events,
    get types() {
      return events.map(({ event }) => event.type);
    },
    get ids() {
      return reader.of("message").map(({ id }) => id);
    },
    error: undefined,
    isDone: false,
    of: <T extends RoomEvent["type"]>(type: T) =>
      events
        .map(({ event }) => event)
        .filter((event): event is Extract<RoomEvent, { type: T }> => event.type === type),
    stop,
  };
  void (async () => {
    try {
      for await (const event of stream) events.push(event);
    } catch (error) {
      reader.error = error;
    }
    reader.isDone = true;
  })();
  return reader;
}
