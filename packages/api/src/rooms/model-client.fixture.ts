import { expect } from "vitest";
import { applyRoomEvent, emptyFeed, lacksChanges, restartFeed } from "../../../client/src/index.ts";
import type { ActiveRooms } from "./active-rooms.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import { cursorOf } from "./event-id.ts";
import type { RoomSnapshot } from "./ports/room-log.ts";
import type { TestSink } from "./room.fixture.ts";
import { member } from "./room.fixture.ts";
import type { RoomEvent, RoomLine, RoomMessage } from "./room-events.ts";

type EventOf<T extends RoomEvent["type"]> = Extract<RoomEvent, { type: T }>;

/** In the model test, a client that missed more messages than this may get only the newest ones. */
export const MISSED_MAX = 15;

interface ClientOptions {
  name: string;
  makeSink: (take: (event: TrackedRoomEvent) => void) => TestSink;
  roomKey: string;
  /** All messages of the room, in order. */
  hubLog: readonly RoomMessage[];
  /**
   * True if the bus delivers at once and loses nothing. The hub then knows how many messages a
   * client has missed.
   */
  isCalm: boolean;
  /** Reads the changes after a revision, as `rooms.sync` does. */
  ask: (revision: number) => Promise<RoomSnapshot<RoomLine>>;
}

/** One subscription of a simulated client to a room. */
interface Connection {
  isCut: boolean;
  cut: () => void;
  sink: TestSink;
  lastId: number | undefined;
  behindAtStart: number;
  isSynced: boolean;
  /**
   * True if this connection replaced one that was still open: its server may lack the client's
   * newest message. Also true after a connection that was cut before its sync event.
   */
  mayBeBehind: boolean;
}

/**
 * The feed of the project's own client, on connections that the test cuts and replaces. It resumes
 * with the id of the last event, as tRPC's client does, and asks for changes that it missed.
 */
export class ModelClient {
  feed = emptyFeed;
  isPaused = false;
  /** The first violation of the protocol that the client saw: a failed assertion. */
  broken: unknown;
  readonly #options: ClientOptions;
  #lastEventId: string | undefined;
  #isAsking = false;
  #current: Connection | undefined;
  #successor: Connection | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#current !== undefined;
  }

  connect(rooms: ActiveRooms): void {
    this.cut();
    this.#current = this.#open(rooms);
  }

  /**
   * Follows a server's request to reconnect. The old connection stays open until the new one
   * delivers events.
   */
  followReconnectRequest(rooms: ActiveRooms): void {
    if (this.#current?.isSynced && !this.#successor) this.#successor = this.#open(rooms);
    else this.connect(rooms);
  }

  #open(rooms: ActiveRooms): Connection {
    const { name, makeSink, roomKey } = this.#options;
    const lastId = this.#lastEventId === undefined ? undefined : cursorOf(this.#lastEventId);
    const sink = makeSink((event) => {
      try {
        this.#receive(event, connection);
      } catch (error) {
        this.broken ??= error;
      }
    });
    if (this.isPaused) sink.fill();
    const connection: Connection = {
      isCut: false,
      cut: () => {
        connection.isCut = true;
        session.end();
      },
      sink,
      lastId,
      behindAtStart: this.#behind(lastId),
      isSynced: false,
      mayBeBehind: lastId !== undefined && lastId < (this.feed.cursor ?? 0),
    };
    const session = rooms.join(roomKey, member(name), {
      lastId,
      authorize: async () => {},
      sink,
      onEnd: (failure) => {
        if (!connection.isCut) this.broken ??= failure ?? new Error(`${name}: ended by itself`);
      },
    });
    return connection;
  }

  #receive({ id, event }: TrackedRoomEvent, connection: Connection): void {
    if (connection.isCut) return;
    if (connection === this.#successor) {
      this.#current?.cut();
      connection.mayBeBehind = true;
      this.#current = connection;
      this.#successor = undefined;
    }
    const { isSynced, mayBeBehind } = connection;
    const { cursor = 0 } = this.feed;
    if (event.type === "message" && isSynced && !mayBeBehind) {
      expect(event.prev_id, "a live message follows the one before").toBe(cursor);
    }
    if (event.type === "sync") this.#checkSync(event, connection);
    this.#apply(event);
    this.#lastEventId = id;
    const held = this.feed.cursor ?? 0;
    if (event.type === "sync") {
      if (mayBeBehind) expect(event.head).toBeLessThanOrEqual(held);
      else expect(held, "the sync follows all missed messages").toBe(event.head);
    }
    if (!connection.isSynced || mayBeBehind) return;
    expect(cursorOf(id) ?? -1, "the resume position never moves back").toBe(held);
  }

  #checkSync({ recovered }: EventOf<"sync">, connection: Connection): void {
    expect(connection.isSynced, "one sync only").toBe(false);
    connection.isSynced = true;
    // A message that arrives during the join may or may not count as missed, so each check uses
    // the lenient count. A server that lost messages may correctly replay more than MISSED_MAX.
    const { lastId, behindAtStart } = connection;
    if (!recovered) expect(this.#behind(lastId)).toBeGreaterThan(MISSED_MAX);
    else if (this.#options.isCalm) expect(behindAtStart).toBeLessThanOrEqual(MISSED_MAX);
  }

  #apply(event: RoomEvent): void {
    this.feed = applyRoomEvent(this.feed, event, performance.now());
    void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (lacksChanges(this.feed)) {
      const prev_revision = this.feed.revision ?? 0;
      const { revision, room, messages } = await this.#options.ask(prev_revision);
      const change = { revision, prev_revision, messages: [...messages], ...(room && { room }) };
      this.feed = applyRoomEvent(this.feed, { type: "changed", ...change }, performance.now());
    }
    this.#isAsking = false;
  }

  cut(): void {
    this.#successor?.cut();
    this.#successor = undefined;
    this.#current?.cut();
    this.#current = undefined;
    this.feed = restartFeed(this.feed);
  }

  #behind(cursor: number | undefined): number {
    const isMissed = ({ id }: RoomMessage) => cursor !== undefined && id > cursor;
    return this.#options.hubLog.filter(isMissed).length;
  }

  get #sinks(): TestSink[] {
    return [this.#current, this.#successor].flatMap((connection) => connection?.sink ?? []);
  }

  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    for (const sink of this.#sinks) sink.fill();
  }

  resume(): void {
    this.isPaused = false;
    for (const sink of this.#sinks) sink.drain();
  }
}
