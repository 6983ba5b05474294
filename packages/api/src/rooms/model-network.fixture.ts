import { memoryRoomBus } from "./bus/memory-room-bus.ts";
import type { RoomBus } from "./bus/room-bus.ts";
import type { RoomPorts } from "./ports/room-ports.ts";
import { memoryPresenceStore } from "./presence/memory-presence-store.ts";
import { openLink, ownPrefix } from "./redis/redis.fixture.ts";
import type { RedisLink } from "./redis/redis-link.ts";
import { redisReplyStore } from "./redis/redis-reply-store.ts";
import { redisRoomBus } from "./redis/redis-room-bus.ts";
import type { RoomTimers } from "./room-timers.ts";

/** The network between the servers of a model test. */
export interface ModelNetwork {
  /** True if a message reaches all servers in the same turn of the event loop. */
  readonly isImmediate: boolean;
  /** Connects a server to the network. */
  join(nodeId: string, timers: RoomTimers): Promise<ModelServerPorts>;
  /** Delivers the network's pending messages. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

type ModelServerPorts = Pick<RoomPorts, "bus" | "presence" | "replies"> & {
  /** Breaks the server's connection to the network. */
  breakLine(): Promise<void>;
  /** Simulates the death of the server, after which it sends nothing. */
  vanish(): Promise<void>;
};

/** A network of servers in one process. Messages are delivered by function calls. */
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

/** A network over a real Redis, with one connection per server. */
export async function redisNetwork(): Promise<ModelNetwork> {
  const prefix = ownPrefix();
  const operator = await openLink();
  // The presence store keeps leases in memory. The model test moves the clock of this process, which does not move
  // the clock of Redis.
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
      // Redis delivers pending messages before it answers the first ping. The second ping waits for
      // the messages that servers send in response.
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

/** The probabilities with which a simulated bus loses, delays and repeats a message. */
export interface BusFaults {
  lost: number;
  late: number;
  doubled: number;
}

export function withFaults(bus: RoomBus, random: () => number, faults: BusFaults): RoomBus {
  const { lost, late, doubled } = faults;
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
        // A message that the bus delays also arrives out of order.
        if (fate < lost + late + doubled) setTimeout(() => listener(message), random() * 30);
        else listener(message);
        if (fate < lost + doubled) setTimeout(() => listener(message), random() * 60);
      });
    },
  };
}
