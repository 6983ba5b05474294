import { expect } from "vitest";
import type { ActiveRooms } from "./active-rooms.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import { cursorOf } from "./event-id.ts";
import type { FakeOutlet, Way } from "./room.fixture.ts";
import { fakeOutlet, member } from "./room.fixture.ts";
import type { RoomEvent, RoomMessage } from "./room-events.ts";

/** What the hub would call too far behind, in the model. */
export const MISSED_MAX = 15;

interface ClientNeeds {
  name: string;
  way: Way;
  roomKey: string;
  /** Everything that was ever said, in order. */
  hubLog: readonly RoomMessage[];
  /** Nothing is lost or on its way, so the hub always knows how far behind a client is. */
  isCalm: boolean;
}

/** One subscription of a client. */
interface Connection {
  cut: AbortController;
  outlet: FakeOutlet | undefined;
  lastId: number | undefined;
  behindAtStart: number;
  isSynced: boolean;
  /**
   * Took over from one that went on meanwhile: its server may be a moment behind. So may that of
   * the next one, where this was cut before its sync and has moved the resume position back.
   */
  tookOver: boolean;
  /** Messages before the sync, which says what they are. */
  missed: RoomMessage[];
}

/** A client as the stock one behaves: it resumes with the id of the last event it was given. */
export class ModelClient {
  readonly log: RoomMessage[] = [];
  isPaused = false;
  /** Why it stopped believing the hub. */
  broken: unknown;
  readonly #needs: ClientNeeds;
  #lastEventId: string | undefined;
  #current: Connection | undefined;
  #successor: Connection | undefined;
  #gate = Promise.withResolvers<void>();

  constructor(needs: ClientNeeds) {
    this.#needs = needs;
    this.#gate.resolve();
  }

  get isConnected(): boolean {
    return this.#current !== undefined;
  }

  connect(rooms: ActiveRooms): void {
    this.cut();
    this.#current = this.#open(rooms);
  }

  /** As the hub's own word asks for it: the old connection goes on until the new one speaks. */
  handOver(rooms: ActiveRooms): void {
    if (this.#current?.isSynced && !this.#successor) this.#successor = this.#open(rooms);
    else this.connect(rooms);
  }

  #open(rooms: ActiveRooms): Connection {
    const { name, way, roomKey } = this.#needs;
    const lastId = this.#lastEventId === undefined ? undefined : cursorOf(this.#lastEventId);
    const connection: Connection = {
      cut: new AbortController(),
      outlet: undefined,
      lastId,
      behindAtStart: this.#behind(lastId),
      isSynced: false,
      tookOver: lastId !== undefined && lastId < (this.log.at(-1)?.id ?? 0),
      missed: [],
    };
    if (way === "pushed in frames") {
      connection.outlet = fakeOutlet((event) => this.#tryToHear(event, connection));
      if (this.isPaused) connection.outlet.unsent = Number.POSITIVE_INFINITY;
    }
    const { outlet, cut } = connection;
    const options = { lastId, signal: cut.signal, mayStay: async () => {}, outlet };
    const ended = (failure: unknown) => {
      if (!cut.signal.aborted) this.broken ??= failure ?? new Error(`${name}: ended by itself`);
    };
    if (outlet) {
      const session = rooms.join(roomKey, member(name), options);
      cut.signal.addEventListener("abort", () => session.end());
      session.pushTo(outlet, ended);
    } else {
      this.#read(rooms.enter(roomKey, member(name), options), connection).then(ended, ended);
    }
    return connection;
  }

  async #read(stream: AsyncIterable<TrackedRoomEvent>, connection: Connection) {
    for await (const event of stream) {
      await this.#gate.promise;
      this.#hear(event, connection);
    }
  }

  /** Called by the hub, which is not to be told of what the client thinks of it. */
  #tryToHear(event: TrackedRoomEvent, connection: Connection): void {
    try {
      this.#hear(event, connection);
    } catch (error) {
      this.broken ??= error;
    }
  }

  #hear({ id, event }: TrackedRoomEvent, connection: Connection): void {
    if (connection.cut.signal.aborted) return;
    if (connection === this.#successor) {
      this.#current?.cut.abort();
      connection.tookOver = true;
      this.#current = connection;
      this.#successor = undefined;
    }
    this.#take(event, connection);
    this.#lastEventId = id;
    if (!connection.isSynced) return;
    if (connection.tookOver) return;
    const cursor = cursorOf(id) ?? -1;
    expect(cursor, "the resume position never moves back").toBe(this.log.at(-1)?.id ?? 0);
  }

  #take(event: RoomEvent, connection: Connection): void {
    const { log } = this;
    const last = log.at(-1)?.id ?? 0;
    if (event.type === "message" && connection.isSynced) {
      if (connection.tookOver && event.id <= last) return;
      expect(event.prev_id, "a live message follows the one before").toBe(last);
      log.push(event);
    } else if (event.type === "message") {
      connection.missed.push(event);
    } else if (event.type === "sync") {
      expect(connection.isSynced, "one sync only").toBe(false);
      connection.isSynced = true;
      // Measured at both ends: messages may come while the hub decides. A server that lost some
      // may think a client nearer than it is; it then gets them all, which is as good.
      const { lastId, behindAtStart } = connection;
      if (!event.recovered) expect(this.#behind(lastId)).toBeGreaterThan(MISSED_MAX);
      else if (this.#needs.isCalm) expect(behindAtStart).toBeLessThanOrEqual(MISSED_MAX);
      if (!event.recovered) log.length = 0;
      this.#keepMissed(connection);
      const held = log.at(-1)?.id ?? 0;
      if (connection.tookOver) expect(event.head).toBeLessThanOrEqual(held);
      else expect(held, "the sync stands behind what was missed").toBe(event.head);
    }
  }

  cut(): void {
    this.#successor?.cut.abort();
    this.#successor = undefined;
    const last = this.#current;
    this.#current = undefined;
    last?.cut.abort();
    if (last && !last.isSynced) this.#keepMissed(last);
  }

  /** Cut before its sync, it resumes behind what came: so that counts, and may begin a new log. */
  #keepMissed(connection: Connection): void {
    // The one before may have brought some of them after this one was asked for.
    const known = this.log.at(-1)?.id ?? 0;
    const missed = connection.missed.splice(0).filter(({ id }) => id > known);
    const last = this.log.at(-1)?.id;
    if (missed[0] && last !== undefined && missed[0].prev_id !== last) this.log.length = 0;
    this.log.push(...missed);
  }

  #behind(cursor: number | undefined): number {
    const isMissed = ({ id }: RoomMessage) => cursor !== undefined && id > cursor;
    return this.#needs.hubLog.filter(isMissed).length;
  }

  get #outlets(): FakeOutlet[] {
    return [this.#current, this.#successor].flatMap((connection) => connection?.outlet ?? []);
  }

  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    for (const outlet of this.#outlets) outlet.unsent = Number.POSITIVE_INFINITY;
    this.#gate = Promise.withResolvers();
  }

  resume(): void {
    this.isPaused = false;
    for (const outlet of this.#outlets) outlet.drain();
    this.#gate.resolve();
  }
}
