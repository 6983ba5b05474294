import { vi } from "vitest";
import type { ActiveRooms, ActiveRoomsOptions } from "./active-rooms.ts";
import { createActiveRooms } from "./active-rooms.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import { memoryPresenceStore } from "./memory-presence-store.ts";
import { memoryRoomBus } from "./memory-room-bus.ts";
import type { Participant } from "./presence-store.ts";
import type { RoomBus } from "./room-bus.ts";
import type { RoomEvent, RoomMessage } from "./room-events.ts";
import type { RoomLog } from "./room-log.ts";
import type { RoomOutlet } from "./room-outlet.ts";
import type { EnterOptions } from "./room-session.ts";

export const ROOM = "1:lobby";

/** Time stands still, but turns of the event loop, at whose end rooms send, go on. */
export const fakeTime = () =>
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });

/** Lets everything that waits for nothing but a turn happen. */
export const settle = () => pass(0);
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

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
  /** Reads no further, until `readOn`. */
  stall(): void;
  readOn(): void;
  of<T extends RoomEvent["type"]>(type: T): Extract<RoomEvent, { type: T }>[];
  stop(): void;
}

/** How a session's events reach a reader; what they are must not depend on it. */
export const WAYS = ["asked for one by one", "pushed in frames"] as const;
export type Way = (typeof WAYS)[number];

export interface TestRooms {
  rooms: ActiveRooms;
  bus: RoomBus;
  log: FakeLog;
  store: ReturnType<typeof memoryPresenceStore>;
  errors: unknown[];
  /** Writes to the log and publishes, as chat does after its commit. */
  post(content?: string): RoomMessage;
  enter(participant: Participant, options?: Partial<EnterOptions>): Reader;
}

export const member = (name: string): Participant => ({ id: `u:${name}`, name, kind: "member" });

interface TestRoomsOptions extends Partial<ActiveRoomsOptions> {
  way?: Way;
  log?: FakeLog;
}

export function testRooms({
  way = "pushed in frames",
  log = fakeLog(),
  ...options
}: TestRoomsOptions = {}): TestRooms {
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
    post(content) {
      const message = log.append(content);
      rooms.publishMessages(ROOM, [message]);
      return message;
    },
    enter(participant, enterOptions = {}) {
      const abort = new AbortController();
      const events: TrackedRoomEvent[] = [];
      const take = (event: TrackedRoomEvent) => void events.push(event);
      const outlet = way === "pushed in frames" ? fakeOutlet(take) : undefined;
      const given = {
        lastId: undefined,
        signal: abort.signal,
        mayStay: async () => {},
        outlet,
        ...enterOptions,
      };
      const reader = blankReader(events, () => abort.abort());
      if (outlet) push(rooms, participant, given, outlet, reader);
      else void pull(rooms.enter(ROOM, participant, given), reader);
      return reader;
    },
  };
}

export interface FakeOutlet extends RoomOutlet {
  unsent: number;
  /** Its reader has caught up. */
  drain(): void;
}

/** A socket, as far as a room can see it: decodes at once what it is sent. */
export function fakeOutlet(take: (event: TrackedRoomEvent) => void): FakeOutlet {
  const waiting: (() => void)[] = [];
  let isEnded = false;
  return {
    wording: "1",
    source: undefined,
    unsent: 0,
    textOf: (event) => JSON.stringify(event),
    framesOf: (texts) => Buffer.from(`[${texts.join()}]`),
    write(frames) {
      if (isEnded) throw new Error("written to after its end");
      for (const event of JSON.parse(String(frames))) take(event);
    },
    whenSent: (run) => void waiting.push(run),
    drain() {
      this.unsent = 0;
      for (const run of waiting.splice(0)) run();
    },
    end: () => {
      isEnded = true;
    },
  };
}

interface OpenReader extends Reader {
  /** Closed while it reads no further. */
  gate: PromiseWithResolvers<void>;
}

function blankReader(events: TrackedRoomEvent[], stop: () => void): OpenReader {
  const gate = Promise.withResolvers<void>();
  gate.resolve();
  const reader: OpenReader = {
    events,
    gate,
    get types() {
      return events.map(({ event }) => event.type);
    },
    get ids() {
      return reader.of("message").map(({ id }) => id);
    },
    error: undefined,
    isDone: false,
    stall() {
      reader.gate = Promise.withResolvers();
    },
    readOn: () => reader.gate.resolve(),
    of: <T extends RoomEvent["type"]>(type: T) =>
      events
        .map(({ event }) => event)
        .filter((event): event is Extract<RoomEvent, { type: T }> => event.type === type),
    stop,
  };
  return reader;
}

async function pull(stream: AsyncIterable<TrackedRoomEvent>, reader: OpenReader): Promise<void> {
  try {
    for await (const event of stream) {
      reader.events.push(event);
      await reader.gate.promise;
    }
  } catch (error) {
    reader.error = error;
  }
  reader.isDone = true;
}

function push(
  rooms: ActiveRooms,
  participant: Participant,
  given: EnterOptions,
  outlet: FakeOutlet,
  reader: OpenReader,
): void {
  const end = (error: unknown) => {
    reader.error = error;
    reader.isDone = true;
  };
  reader.stall = () => {
    outlet.unsent = Number.POSITIVE_INFINITY;
  };
  reader.readOn = () => outlet.drain();
  try {
    const session = rooms.join(ROOM, participant, given);
    given.signal?.addEventListener("abort", () => session.end());
    session.pushTo(outlet, end);
  } catch (error) {
    end(error);
  }
}
