import { memoryPresenceStore } from "./memory-presence-store.ts";
import { memoryRoomBus } from "./memory-room-bus.ts";
import { openLink, ownPrefix } from "./redis/redis.fixture.ts";
import type { RedisLink } from "./redis/redis-link.ts";
import { redisReplyStore } from "./redis/redis-reply-store.ts";
import { redisRoomBus } from "./redis/redis-room-bus.ts";
import type { RoomBus } from "./room-bus.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { RoomTimers } from "./room-timers.ts";

/** What joins the servers of a model. */
export interface ModelNetwork {
  /** What is said on one server is heard on all in the same turn. */
  readonly isImmediate: boolean;
  /** A server comes, or comes back under another name. */
  join(nodeId: string, timers: RoomTimers): Promise<ModelServerPorts>;
  /** Lets what is on the way arrive. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

type ModelServerPorts = Pick<RoomPorts, "bus" | "presence" | "replies"> & {
  /** The server's own connection breaks. */
  breakLine(): Promise<void>;
  /** The server is gone, without a word. */
  vanish(): Promise<void>;
};

/** All servers in one process: nothing is between them that could break. */
export async function processNetwork(): Promise<ModelNetwork> {
  const shared = memoryRoomBus();
  const presence = memoryPresenceStore(() => performance.now());
  return {
    isImmediate: true,
    async join() {
      let isGone = false;
      const bus: RoomBus = {
        ...shared,
        subscribe: (channel, listener) =>
          shared.subscribe(channel, (message) => void (isGone || listener(message))),
        publish: async (channel, message) => (isGone ? false : shared.publish(channel, message)),
      };
      const vanish = async () => {
        isGone = true;
      };
      return { bus, presence, breakLine: async () => {}, vanish };
    },
    settle: async () => {},
    close: async () => {},
  };
}

/** A real Redis between them, with real connections. */
export async function redisNetwork(): Promise<ModelNetwork> {
  const prefix = ownPrefix();
  const operator = await openLink();
  // Whose leases have run out is another test's matter: here the clock is moved.
  const presence = memoryPresenceStore(() => performance.now());
  const links = new Set<RedisLink>();
  return {
    isImmediate: false,
    async join(nodeId, timers) {
      const link = await openLink();
      links.add(link);
      const onError = (error: unknown) => {
        throw error;
      };
      return {
        presence,
        replies: redisReplyStore({ link, prefix, timers, leaseMs: 30_000, renewMs: 10_000 }),
        bus: redisRoomBus({ link, prefix, nodeId, onError }),
        async breakLine() {
          const id = await link.run((client) => client.clientId()).catch(() => undefined);
          if (id === undefined) return;
          await operator.run((client) => client.sendCommand(["CLIENT", "KILL", "ID", String(id)]));
        },
        async vanish() {
          links.delete(link);
          await link.close();
        },
      };
    },
    async settle() {
      // What Redis has sent arrives before its answers; what that sets off is answered once more.
      for (let n = 0; n < 2; n++) {
        for (const link of links) await link.run((client) => client.ping()).catch(() => undefined);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async close() {
      await Promise.all([...links, operator].map((link) => link.close()));
    },
  };
}

export type Random = () => number;

/** The same numbers for the same seed. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How badly a bus treats each of its listeners: shares of what it loses, delays and doubles. */
export interface Mischief {
  lost: number;
  late: number;
  doubled: number;
}

export function mischievous(bus: RoomBus, random: Random, mischief: Mischief): RoomBus {
  const { lost, late, doubled } = mischief;
  return {
    lossless: false,
    publish: (channel, message) => bus.publish(channel, message),
    onGap: bus.onGap,
    get listeners() {
      return bus.listeners;
    },
    async subscribe(channel, listener) {
      await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 3)));
      return bus.subscribe(channel, (message) => {
        const fate = random();
        if (fate < lost) return;
        // Late is out of order, too.
        if (fate < lost + late + doubled) setTimeout(() => listener(message), random() * 30);
        else listener(message);
        if (fate < lost + doubled) setTimeout(() => listener(message), random() * 60);
      });
    },
  };
}
