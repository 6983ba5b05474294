import { HUB, type Scenario } from "../runner/bench.ts";
import { blame, takeTurns, type Values, watched } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import {
  BUN,
  type Contender,
  contenderOf,
  type RoomLoad,
  roomLoadOf,
  SOCKET_IO,
  TRPC,
  WS,
} from "./contenders.ts";
import { nowUs, type PeerOrder } from "./peers/peer-protocol.ts";

const CONCURRENT_CONNECTS = 16;
const ROUNDS = 5;

/** A server and its clients, all in the room room-0. */
interface SubscribedServer extends Contender {
  groupId: number;
  clients: number;
}

const subscribedOf = (stage: Stage, name: string): Promise<SubscribedServer> =>
  stage.share(`subscribed ${name}`, async () => {
    const contender = await contenderOf(stage, name);
    const load = await roomLoadOf(stage);
    const clients = stage.size(500, 5);
    const { groupId } = await blame(name, () =>
      load({
        order: "connect",
        ...contender.address,
        connections: clients,
        concurrency: CONCURRENT_CONNECTS,
        roomPrefix: "room",
        roomSize: clients,
      }),
    );
    return { ...contender, groupId, clients };
  });

/** Broadcasts events until the time is over. Each client must receive each event once, in order. */
async function broadcast(
  load: RoomLoad,
  { groupId, ask, process, clients }: SubscribedServer,
  order: PeerOrder & { events: number },
  atLeastSeconds: number,
): Promise<Values> {
  let [seconds, clientCpuSeconds, deliveries] = [0, 0, 0];
  const [received, { cpuMs }] = await watched(process, async () => {
    for (;;) {
      await load({ order: "expect", groupId, events: order.events });
      const startedUs = nowUs();
      await ask(order);
      const taken = await load({ order: "receive", groupId });
      seconds += (taken.endedUs - startedUs) / 1e6;
      clientCpuSeconds += taken.cpuSeconds;
      deliveries += order.events * clients;
      if (seconds >= atLeastSeconds) return taken;
    }
  });
  return {
    "deliveries/s": deliveries / seconds,
    "CPU µs/delivery": (cpuMs * 1_000) / deliveries,
    "p50 ms": received.p50Ms,
    "p99 ms": received.p99Ms,
    "server CPU %": cpuMs / seconds / 10,
    "client CPU %": (clientCpuSeconds / seconds) * 100,
  };
}

interface Broadcast {
  name: string;
  names: string[];
  seconds: number;
  order: (stage: Stage) => PeerOrder & { events: number };
  column: string;
  goals: { to: string; atLeast?: number; atMost?: number }[];
}

const scenarioOf = ({ name, names, seconds, order, column, goals }: Broadcast): Scenario => ({
  name,
  atMostSeconds: 240,
  async run(stage) {
    const load = await roomLoadOf(stage);
    const servers: SubscribedServer[] = [];
    for (const each of names) servers.push(await subscribedOf(stage, each));
    const table = await takeTurns(stage, servers, ROUNDS, (server) =>
      broadcast(load, server, order(stage), stage.size(seconds, 0)),
    );
    // The load generator refuses an order if more events have arrived than were sent.
    for (const { name, groupId } of servers) {
      await blame(name, () => load({ order: "expect", groupId, events: 0 }));
    }
    return { table, goals: goals.map((goal) => ratioGoal(table, column, { of: HUB, ...goal })) };
  },
});

/** A rate that every server sustains: 50,000 deliveries per second to 500 clients. */
const PACE_MS = 10;

export const broadcasts: Scenario[] = [
  {
    name: "B1 500 subscribers, 1 event per turn",
    names: [HUB, WS, SOCKET_IO, TRPC, BUN],
    seconds: 1.5,
    // Few enough events to keep each client's backlog below 64 KB. The hub drops transient events
    // for clients with a larger backlog.
    order: (stage: Stage) => ({
      order: "burst" as const,
      what: "message" as const,
      events: stage.size(150, 20),
      perTurn: 1,
    }),
    column: "deliveries/s",
    goals: [
      { to: SOCKET_IO, atLeast: 1 },
      { to: WS, atLeast: 0.9 },
      { to: TRPC, atLeast: 2.3 },
    ],
  },
  {
    name: "B2 token stream, 8 events per turn",
    names: [HUB, WS, SOCKET_IO, TRPC, BUN],
    seconds: 1.5,
    order: (stage: Stage) => ({
      order: "burst" as const,
      what: "reply-delta" as const,
      events: stage.size(160, 24),
      perTurn: 8,
    }),
    column: "deliveries/s",
    goals: [{ to: SOCKET_IO, atLeast: 5 }],
  },
  {
    name: "B3 paced, 50 k deliveries/s, p99",
    names: [HUB, WS, SOCKET_IO, TRPC],
    // One order takes three seconds.
    seconds: 0,
    order: (stage: Stage) => ({
      order: "pace" as const,
      what: "message" as const,
      events: stage.size(300, 20),
      everyMs: PACE_MS,
    }),
    column: "p99 ms",
    goals: [{ to: SOCKET_IO, atMost: 1.1 }],
  },
].map(scenarioOf);
