import { expect } from "vitest";
import type { ActiveRooms } from "./active-rooms.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import { cursorOf } from "./event-id.ts";
import type { RoomSnapshot } from "./ports/room-log.ts";
import type { TestSink } from "./room.fixture.ts";
import { member } from "./room.fixture.ts";
import type { MessageEvent, RoomChange, RoomEvent, RoomLine, RoomMessage } from "./room-events.ts";

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

const asMessage = ({ type: _, ...message }: MessageEvent): RoomMessage => message;
const isNewer = (line: RoomLine, held: RoomLine | undefined): boolean =>
  (line.revision ?? 0) > (held?.revision ?? 0);

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
  /** The messages that the connection received before its sync event. */
  missed: RoomMessage[];
}

/**
 * A client that behaves as the project's own client: it resumes with the id of the last event, and
 * asks for changes that it missed.
 */
export class ModelClient {
  readonly log: RoomMessage[] = [];
  /** The revision up to which the client has the changes; undefined before the first sync. */
  revision: number | undefined;
  title = "";
  /** The end of the room's path; null is the newest message. */
  activeId: number | null = null;
  isPaused = false;
  /** The first violation of the protocol that the client saw: a failed assertion. */
  broken: unknown;
  readonly #options: ClientOptions;
  #lastEventId: string | undefined;
  /** The newest revision that a server has named. */
  #knownRevision = 0;
  #isAsking = false;
  /** The changes of messages that have not arrived yet, by id. */
  #later = new Map<number, RoomLine>();
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
      mayBeBehind: lastId !== undefined && lastId < (this.log.at(-1)?.id ?? 0),
      missed: [],
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
    this.#take(event, connection);
    this.#lastEventId = id;
    if (!connection.isSynced) return;
    if (connection.mayBeBehind) return;
    const cursor = cursorOf(id) ?? -1;
    expect(cursor, "the resume position never moves back").toBe(this.log.at(-1)?.id ?? 0);
  }

  #take(event: RoomEvent, connection: Connection): void {
    const { log } = this;
    const last = log.at(-1)?.id ?? 0;
    if (event.type === "message" && connection.isSynced) {
      if (connection.mayBeBehind && event.id <= last) return;
      expect(event.prev_id, "a live message follows the one before").toBe(last);
      this.#append(asMessage(event));
    } else if (event.type === "message") {
      connection.missed.push(asMessage(event));
    } else if (event.type === "changed") {
      this.#takeChange(event);
    } else if (event.type === "sync") {
      expect(connection.isSynced, "one sync only").toBe(false);
      connection.isSynced = true;
      // A message that arrives during the join may or may not count as missed, so each check uses
      // the lenient count. A server that lost messages may correctly replay more than MISSED_MAX.
      const { lastId, behindAtStart } = connection;
      if (!event.recovered) expect(this.#behind(lastId)).toBeGreaterThan(MISSED_MAX);
      else if (this.#options.isCalm) expect(behindAtStart).toBeLessThanOrEqual(MISSED_MAX);
      if (!event.recovered) log.length = 0;
      this.#storeMissed(connection);
      if (!event.recovered) this.#later.clear();
      const held = log.at(-1)?.id ?? 0;
      this.#takeRevision(event);
      if (connection.mayBeBehind) expect(event.head).toBeLessThanOrEqual(held);
      else expect(held, "the sync follows all missed messages").toBe(event.head);
    }
  }

  #takeRevision({ revision, recovered, room }: Extract<RoomEvent, { type: "sync" }>): void {
    this.#knownRevision = revision;
    this.title = room?.title ?? "";
    this.activeId = room?.active_id ?? null;
    // The messages that the client held before may lack changes.
    const isFormer = recovered && this.revision !== undefined && revision > this.revision;
    if (isFormer) void this.#ask();
    else this.revision = revision;
  }

  #takeChange({ revision, prev_revision, room, messages = [] }: RoomChange): void {
    if (this.revision === undefined) return;
    this.#knownRevision = Math.max(this.#knownRevision, revision);
    if (prev_revision > this.revision) return void this.#ask();
    this.#amend(messages);
    if (revision < this.revision) return;
    this.revision = revision;
    if (!room) return;
    this.title = room.title;
    this.activeId = room.active_id;
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.revision !== undefined && this.#knownRevision > this.revision) {
      const prev_revision = this.revision;
      const { revision, room, messages } = await this.#options.ask(prev_revision);
      this.#takeChange({ revision, prev_revision, messages: [...messages], ...(room && { room }) });
    }
    this.#isAsking = false;
  }

  #amend(lines: readonly RoomLine[]): void {
    const missed = [this.#current, this.#successor].flatMap((open) => (open ? [open.missed] : []));
    for (const line of lines) {
      const isLater = line.id > (this.log.at(-1)?.id ?? 0);
      if (isLater && isNewer(line, this.#later.get(line.id))) this.#later.set(line.id, line);
      for (const messages of [this.log, ...missed]) {
        const index = messages.findIndex(({ id }) => id === line.id);
        const held = messages[index];
        if (!held || !isNewer(line, held)) continue;
        messages[index] = { ...line, prev_id: held.prev_id };
      }
    }
  }

  /** Appends a message, which a server that lacks changes may have sent in its former state. */
  #append(message: RoomMessage): void {
    const line = this.#later.get(message.id);
    this.#later.delete(message.id);
    const isFormer = line !== undefined && isNewer(line, message);
    this.log.push(isFormer ? { ...line, prev_id: message.prev_id } : message);
  }

  cut(): void {
    this.#successor?.cut();
    this.#successor = undefined;
    const last = this.#current;
    this.#current = undefined;
    last?.cut();
    if (last && !last.isSynced) this.#storeMissed(last);
    // The client holds messages of an unknown revision.
    if (this.log.length > 0) this.revision ??= 0;
  }

  /**
   * Adds a connection's missed messages to the client's log. After a cut before the sync event, the
   * client resumes after these messages.
   */
  #storeMissed(connection: Connection): void {
    // The previous connection may have delivered some of the missed messages.
    const known = this.log.at(-1)?.id ?? 0;
    const missed = connection.missed.splice(0).filter(({ id }) => id > known);
    const last = this.log.at(-1)?.id;
    if (missed[0] && last !== undefined && missed[0].prev_id !== last) this.log.length = 0;
    for (const message of missed) this.#append(message);
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
