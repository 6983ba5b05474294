import fc from "fast-check";
import { expect } from "vitest";
import { seeded } from "../testing/random-numbers.ts";
import type { ActiveRooms } from "./active-rooms.ts";
import { createActiveRooms } from "./active-rooms.ts";
import { MISSED_MAX, ModelClient } from "./model-client.fixture.ts";
import { type BusFaults, type ModelNetwork, withFaults } from "./model-network.fixture.ts";
import type { RoomLog } from "./ports/room-log.ts";
import { fakeSink, member, pass, pausableQueue } from "./room.fixture.ts";
import type { RoomChange, RoomMessage, RoomSettings } from "./room-events.ts";
import { createRoomTimers } from "./room-timers.ts";

/** The log of one room in a model test, which appends the messages itself. */
export interface ModelLog extends RoomLog {
  readonly roomKey: string;
  /** All messages of the room in their present state, in order. */
  readonly messages: readonly RoomMessage[];
  /** Appends a message. `change`: the message has moved the path. */
  append(): Promise<{ message: RoomMessage; change?: RoomChange | undefined }>;
  /** Changes a random message, or the room's settings or path. Returns undefined if nothing changed. */
  change(): Promise<RoomChange | undefined>;
  /** The room's revision, its title and the end of its path. */
  readonly end: Pick<RoomSettings, "revision" | "title" | "active_id">;
  /** Waits until no read of the log is pending. Needed if the reads query a real database. */
  settle(): Promise<void>;
}

export interface WorldOptions {
  seed: number;
  log: (random: () => number) => Promise<ModelLog>;
  network: () => Promise<ModelNetwork>;
  /**
   * The faults that the test adds to the bus. Without any, every client must be up to date once all
   * work is done.
   */
  faults: BusFaults | undefined;
}

export type Step =
  | { do: "post" | "change"; count: number }
  | { do: "connect" | "hand over" | "cut" | "pause" | "resume"; who: number; node: number }
  | { do: "type" | "reply" | "kill" | "break"; node: number }
  | { do: "wait"; ms: number };

/**
 * How long a test waits for the simulated hub to finish its work, in milliseconds. It exceeds every
 * simulated delay.
 */
const SETTLED_MS = 2_000;
const CLIENTS = { ada: fakeSink, bob: pausableQueue, eve: fakeSink };

const who = fc.nat({ max: 2 });
const node = fc.nat({ max: 1 });
const oneOf = <T extends string>(...what: T[]) => fc.constantFrom(...what);

const upTo = (max: number) => fc.integer({ min: 1, max });
const weighted = <T>(weight: number, step: { [Field in keyof T]: fc.Arbitrary<T[Field]> }) => ({
  weight,
  arbitrary: fc.record(step),
});

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    weighted(8, { do: oneOf("post"), count: upTo(12) }),
    weighted(6, { do: oneOf("change"), count: upTo(5) }),
    weighted(10, { do: oneOf("connect", "connect", "hand over"), who, node }),
    weighted(6, { do: oneOf("cut", "pause", "resume"), who, node }),
    weighted(4, { do: oneOf("type", "reply"), node }),
    weighted(1, { do: oneOf("kill", "break"), node }),
    weighted(8, {
      do: oneOf("wait"),
      ms: fc.constantFrom(0, 1, 1, 2, 3, 3, 5, 30, 30, 100, SETTLED_MS, 11_000),
    }),
  ),
  { maxLength: 40, size: "max" },
);

interface Server {
  rooms: ActiveRooms;
  breakLine(): Promise<void>;
  /** Simulates SIGKILL: the server sends nothing and does nothing any more. */
  kill(): Promise<void>;
}

/** Two servers and three clients, simulated, on which a model test runs random steps. */
export class World {
  readonly #options: WorldOptions;
  readonly #random: () => number;
  readonly #network: ModelNetwork;
  readonly #log: ModelLog;
  readonly #servers: Server[] = [];
  readonly #clients: ModelClient[];
  /** The server that each client is connected to. */
  readonly #at = new Map<ModelClient, Server>();
  #isBroken = false;
  #names = 0;
  #replies = 0;

  private constructor(options: WorldOptions, parts: { network: ModelNetwork; log: ModelLog }) {
    this.#options = options;
    this.#random = seeded(options.seed);
    this.#network = parts.network;
    this.#log = parts.log;
    const { roomKey, messages: hubLog } = parts.log;
    const isCalm = !options.faults && parts.network.isImmediate;
    const ask = (revision: number) => parts.log.changes(roomKey, revision, 1_000);
    this.#clients = Object.entries(CLIENTS).map(
      ([name, makeSink]) => new ModelClient({ name, makeSink, roomKey, hubLog, isCalm, ask }),
    );
  }

  static async make(options: WorldOptions): Promise<World> {
    const network = await options.network();
    const world = new World(options, { network, log: await options.log(seeded(options.seed + 1)) });
    for (let n = 0; n < 2; n++) world.#servers.push(await world.#startServer());
    return world;
  }

  async #startServer(): Promise<Server> {
    const { faults } = this.#options;
    const nodeId = `n${++this.#names}`;
    const real = createRoomTimers();
    let isDead = false;
    const timers = {
      now: real.now,
      after: (ms: number, run: () => void) => real.after(ms, () => void (isDead || run())),
      get active() {
        return real.active;
      },
    };
    const { bus, presence, replies, breakLine, vanish } = await this.#network.join(nodeId, timers);
    const rooms = createActiveRooms({
      bus: faults ? withFaults(bus, this.#random, faults) : bus,
      log: this.#log,
      presence,
      replies,
      nodeId,
      timers,
      limits: {
        BUFFER_MESSAGES: 8,
        PAGE_MESSAGES: 3,
        CHANGED_MESSAGES: 2,
        TRANSIENT_QUEUE_MAX: 10_000,
        NEWEST_MESSAGES: 12,
        MISSED_MESSAGES_MAX: MISSED_MAX,
        LAGGING_BYTES: 500,
      },
      onError: (error) => isDead || expect.fail(`${error}`),
    });
    const kill = async () => {
      isDead = true;
      await vanish();
    };
    return { rooms, breakLine, kill };
  }

  async pass(ms: number): Promise<void> {
    // The fake clock moves in small steps. Otherwise commands to a Redis that answers in real time
    // would time out.
    for (let left = ms; left >= 0; left -= 500) {
      await pass(Math.min(left, 500));
      await this.#network.settle();
      await this.#log.settle();
    }
  }

  async #take(step: Step): Promise<void> {
    if (step.do === "wait") return this.pass(step.ms);
    if ("count" in step) {
      for (let n = 0; n < step.count; n++) {
        const by = this.#servers[Math.floor(this.#random() * 2)];
        if (step.do === "post") await this.#post(by);
        else this.#publishChange(by, await this.#log.change());
      }
      return;
    }
    const server = this.#servers[step.node];
    if (!server) return;
    if ("who" in step) this.#doAsClient(step.do, this.#clients[step.who], server);
    else if (step.do === "break") await server.breakLine();
    else if (step.do === "kill") await this.#kill(step.node, server);
    else if (step.do === "type") server.rooms.typing(this.#log.roomKey, member("ada"));
    else await this.#reply(server);
  }

  async #post(by: Server | undefined): Promise<number> {
    const { message, change } = await this.#log.append();
    by?.rooms.publishMessages(this.#log.roomKey, [message]);
    this.#publishChange(by, change);
    return message.id;
  }

  #publishChange(by: Server | undefined, change: RoomChange | undefined): void {
    if (change) by?.rooms.publishChange(this.#log.roomKey, change);
  }

  #doAsClient(what: string, client: ModelClient | undefined, server: Server): void {
    if (!client) return;
    if (what === "hand over") client.followReconnectRequest(server.rooms);
    else if (what === "connect") client.connect(server.rooms);
    else if (what === "cut") client.cut();
    else if (what === "pause") client.pause();
    else client.resume();
    if (what === "connect" || what === "hand over") this.#at.set(client, server);
  }

  async #kill(n: number, server: Server): Promise<void> {
    await server.kill();
    for (const [client, at] of this.#at) if (at === server) client.cut();
    this.#servers[n] = await this.#startServer();
  }

  async #reply(by: Server): Promise<void> {
    const question = { reply_id: `r${++this.#replies}`, sender_name: "ada", content: "?" };
    const reply = by.rooms.startReply(this.#log.roomKey, question);
    reply.delta("text");
    reply.done(await this.#post(by));
  }

  /**
   * Asserts that a client holds every message of the log since the client's first message, in its
   * present state, and the room's settings.
   */
  #expectWhole(client: ModelClient): void {
    expect(client.broken).toBeUndefined();
    const { messages, end } = this.#log;
    const { messages: held, revision, room, log } = client.feed;
    expect(log, "no message makes the client begin another log").toBe(0);
    const first = messages.findIndex(({ id }) => id === held[0]?.id);
    expect(held).toEqual(held.length === 0 ? messages : messages.slice(first));
    expect(revision).toBe(end.revision);
    expect(room?.title).toBe(end.title);
    expect(this.#possibleEnds(end.active_id)).toContain(room?.active_id);
  }

  /**
   * Returns the ends of the path that a client may show. A faulty bus may deliver a message after the
   * path moved to the message's parent. A client takes that for a continuation, until the next
   * change or sync.
   */
  #possibleEnds(active_id: number | null): (number | null)[] {
    const ends = [active_id];
    if (active_id === null || !this.#options.faults) return ends;
    for (const { id, parent_id } of this.#log.messages) {
      if (ends.includes(parent_id)) ends.push(id);
    }
    return ends;
  }

  /**
   * Runs the steps and awaits all pending work. Every client must then hold the log from its first
   * message on. No server may have rooms, sessions, subscriptions, timers or replies left.
   */
  async run(steps: readonly Step[]): Promise<void> {
    try {
      for (const step of steps) {
        await this.#take(step);
        if (step.do === "break" || step.do === "kill") this.#isBroken = true;
        // Unless messages were lost, clients must be up to date before the next head check.
        const settled = this.#isBroken ? 3 * SETTLED_MS : SETTLED_MS;
        if (this.#options.faults || step.do !== "wait" || step.ms < settled) continue;
        for (const client of this.#clients) {
          if (client.isConnected && !client.isPaused) this.#expectWhole(client);
        }
      }
      const [server] = this.#servers;
      for (const client of this.#clients) {
        client.resume();
        if (server && !client.isConnected) client.connect(server.rooms);
      }
      // If the bus has lost the last message, the head check finds that message within 5 s.
      await this.pass(5_000 + SETTLED_MS);
      for (const client of this.#clients) {
        this.#expectWhole(client);
        client.cut();
      }
      await this.pass(50_000);
      const nothing = { rooms: 0, sessions: 0, subscriptions: 0, timers: 0, replies: 0 };
      for (const { rooms } of this.#servers) expect(rooms.counts()).toEqual(nothing);
    } finally {
      // A failed case has clients left. Its servers would go on in the fake time of all later cases.
      for (const server of this.#servers) await server.kill();
      await this.#network.close();
    }
  }
}
