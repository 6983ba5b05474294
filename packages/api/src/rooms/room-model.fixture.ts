import fc from "fast-check";
import { expect } from "vitest";
import type { ActiveRooms } from "./active-rooms.ts";
import { createActiveRooms } from "./active-rooms.ts";
import { MISSED_MAX, ModelClient } from "./model-client.fixture.ts";
import { type Mischief, type ModelNetwork, mischievous, seeded } from "./model-network.fixture.ts";
import { member, pass } from "./room.fixture.ts";
import type { RoomMessage } from "./room-events.ts";
import type { RoomLog } from "./room-log.ts";
import { createRoomTimers } from "./room-timers.ts";

/** The hub's log, as the model writes in it. */
export interface ModelLog extends RoomLog {
  readonly roomKey: string;
  /** Everything that was ever said, in order. */
  readonly messages: readonly RoomMessage[];
  append(): Promise<RoomMessage>;
  /** Lets what is being read be answered, where that takes real time. */
  settle(): Promise<void>;
}

export interface WorldOptions {
  seed: number;
  log: (random: () => number) => Promise<ModelLog>;
  network: () => Promise<ModelNetwork>;
  /** Without it nothing may be lost, and nobody may be behind once all has settled. */
  mischief: Mischief | undefined;
}

export type Step =
  | { do: "post"; count: number }
  | { do: "connect" | "hand over" | "cut" | "pause" | "resume"; who: number; node: number }
  | { do: "type" | "reply" | "kill" | "break"; node: number }
  | { do: "wait"; ms: number };

/** Longer than any query, bus delay or turn of the model takes. */
const SETTLED_MS = 2_000;
const WAYS = {
  ada: "pushed in frames",
  bob: "asked for one by one",
  eve: "pushed in frames",
} as const;

const who = fc.nat({ max: 2 });
const node = fc.nat({ max: 1 });
const oneOf = <T extends string>(...what: T[]) => fc.constantFrom(...what);

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: oneOf("post"), count: fc.integer({ min: 1, max: 12 }) }),
    },
    {
      weight: 10,
      arbitrary: fc.record({ do: oneOf("connect", "connect", "hand over"), who, node }),
    },
    { weight: 6, arbitrary: fc.record({ do: oneOf("cut", "pause", "resume"), who, node }) },
    { weight: 4, arbitrary: fc.record({ do: oneOf("type", "reply"), node }) },
    { weight: 1, arbitrary: fc.record({ do: oneOf("kill", "break"), node }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: oneOf("wait"),
        ms: fc.constantFrom(0, 1, 1, 2, 3, 3, 5, 30, 30, 100, SETTLED_MS, 11_000),
      }),
    },
  ),
  { maxLength: 40, size: "max" },
);

interface Server {
  rooms: ActiveRooms;
  breakLine(): Promise<void>;
  /** As by -9: it says nothing any more, and does nothing. */
  kill(): Promise<void>;
}

/** Two servers, three clients and whatever befalls them. */
export class World {
  readonly #options: WorldOptions;
  readonly #random: () => number;
  readonly #network: ModelNetwork;
  readonly #log: ModelLog;
  readonly #servers: Server[] = [];
  readonly #clients: ModelClient[];
  /** Which server each client is on. */
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
    const isCalm = !options.mischief && parts.network.isImmediate;
    this.#clients = Object.entries(WAYS).map(
      ([name, way]) => new ModelClient({ name, way, roomKey, hubLog, isCalm }),
    );
  }

  static async make(options: WorldOptions): Promise<World> {
    const network = await options.network();
    const world = new World(options, { network, log: await options.log(seeded(options.seed + 1)) });
    for (let n = 0; n < 2; n++) world.#servers.push(await world.#startServer());
    return world;
  }

  async #startServer(): Promise<Server> {
    const { mischief } = this.#options;
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
      bus: mischief ? mischievous(bus, this.#random, mischief) : bus,
      log: this.#log,
      presence,
      replies,
      nodeId,
      timers,
      limits: {
        RING_MESSAGES: 8,
        PAGE_MESSAGES: 3,
        PASSING_QUEUE_MAX: 10_000,
        NEWEST_MESSAGES: 12,
        MISSED_MESSAGES_MAX: MISSED_MAX,
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
    // Time must not run ahead of the network: it would seem to hang.
    for (let left = ms; left >= 0; left -= 500) {
      await pass(Math.min(left, 500));
      await this.#network.settle();
      await this.#log.settle();
    }
  }

  async #take(step: Step): Promise<void> {
    if (step.do === "wait") return this.pass(step.ms);
    if (step.do === "post") {
      for (let n = 0; n < step.count; n++) {
        const message = await this.#log.append();
        const by = this.#servers[Math.floor(this.#random() * 2)];
        by?.rooms.publishMessages(this.#log.roomKey, [message]);
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

  #doAsClient(what: string, client: ModelClient | undefined, server: Server): void {
    if (!client) return;
    if (what === "hand over") client.handOver(server.rooms);
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

  async #reply({ rooms }: Server): Promise<void> {
    const { roomKey } = this.#log;
    const question = { reply_id: `r${++this.#replies}`, sender_name: "ada", content: "?" };
    const reply = rooms.startReply(roomKey, question);
    reply.delta("text");
    const message = await this.#log.append();
    rooms.publishMessages(roomKey, [message]);
    reply.done(message.id);
  }

  /** A client that once began in the middle holds the log from there on. */
  #expectWhole(client: ModelClient): void {
    expect(client.broken).toBeUndefined();
    const held = client.log.map(({ id }) => id);
    const all = this.#log.messages.map(({ id }) => id);
    expect(held).toEqual(held.length === 0 ? all : all.slice(all.indexOf(held[0] ?? -1)));
  }

  /** Takes the steps, then lets all come to rest: every client has the log, and nothing is left. */
  async run(steps: readonly Step[]): Promise<void> {
    try {
      for (const step of steps) {
        await this.#take(step);
        if (step.do === "break" || step.do === "kill") this.#isBroken = true;
        // Long before the heads are compared, unless something was lost.
        const settled = this.#isBroken ? 3 * SETTLED_MS : SETTLED_MS;
        if (this.#options.mischief || step.do !== "wait" || step.ms < settled) continue;
        for (const client of this.#clients) {
          if (client.isConnected && !client.isPaused) this.#expectWhole(client);
        }
      }
      const [server] = this.#servers;
      for (const client of this.#clients) {
        client.resume();
        if (server && !client.isConnected) client.connect(server.rooms);
      }
      // A bus may have lost the very last message: the head check finds it.
      await this.pass(5_000 + SETTLED_MS);
      for (const client of this.#clients) {
        this.#expectWhole(client);
        client.cut();
      }
      await this.pass(50_000);
      const nothing = { rooms: 0, sessions: 0, subscriptions: 0, timers: 0, replies: 0 };
      for (const { rooms } of this.#servers) expect(rooms.counts()).toEqual(nothing);
    } finally {
      await this.#network.close();
    }
  }
}
