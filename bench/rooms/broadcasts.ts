import { HUB, type Scenario } from "../runner/bench.ts";
import { blame, takeTurns, type Values, watched } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import {
  BUN,
  type Contender,
  clientGroupsOf,
  contendersOf,
  SOCKET_IO,
  TRPC,
  WS,
} from "./contenders.ts";

const CONCURRENT_CONNECTS = 16;
const ROUNDS = 5;
/** A rate that every server sustains: 50,000 deliveries per second to 500 clients. */
const PACE_MS = 10;

interface Broadcast {
  name: string;
  names: string[];
  /** The shortest time of a sample. Further events are broadcast until it is over. */
  seconds: number;
  /** The events of a measurement and of smoke. */
  events: [number, number];
  send(contender: Contender, events: number): Promise<void>;
  column: string;
  goals: { to: string; atLeast?: number; atMost?: number }[];
}

/** Each server has a group of clients, all in the room room-0. */
const groupOf = (stage: Stage, { name, address }: Contender, clients: number): Promise<number> =>
  stage.share(`group of ${name}`, async () => {
    const { remote } = await clientGroupsOf(stage);
    const rooms = { roomPrefix: "room", roomSize: clients };
    const order = { connections: clients, concurrency: CONCURRENT_CONNECTS, ...rooms };
    return (await blame(name, () => remote.connect({ ...address, ...order }))).id;
  });

const scenarioOf = ({
  name,
  names,
  seconds,
  send,
  column,
  goals,
  ...row
}: Broadcast): Scenario => ({
  name,
  atMostSeconds: 240,
  async run(stage) {
    const { remote, process: clientProcess } = await clientGroupsOf(stage);
    const contenders = await contendersOf(stage, names);
    const clients = stage.size(500, 5);
    const events = stage.size(...row.events);
    for (const contender of contenders) await groupOf(stage, contender, clients);
    // Each client must receive each event once, in order.
    const broadcast = async (contender: Contender): Promise<Values> => {
      const group = await groupOf(stage, contender, clients);
      const end = performance.now() + stage.size(seconds * 1_000, 0);
      let deliveries = 0;
      const sendAll = async () => {
        for (;;) {
          await remote.expect(group, events);
          await send(contender, events);
          const times = await remote.receive(group);
          deliveries += events * clients;
          if (performance.now() >= end) return times;
        }
      };
      const [times, use] = await watched(contender.process, sendAll, clientProcess);
      return {
        "deliveries/s": deliveries / use.seconds,
        "CPU µs/delivery": (use.cpuMs * 1_000) / deliveries,
        ...times,
        ...use.columns,
      };
    };
    const table = await takeTurns(stage, contenders, ROUNDS, broadcast);
    // The load generator refuses a call if more events have arrived than were sent.
    for (const contender of contenders) {
      const group = await groupOf(stage, contender, clients);
      await blame(contender.name, () => remote.receive(group));
    }
    return { table, goals: goals.map((goal) => ratioGoal(table, column, { of: HUB, ...goal })) };
  },
});

const rows: Broadcast[] = [
  {
    name: "B1 500 subscribers, 1 event per turn",
    names: [HUB, WS, SOCKET_IO, TRPC, BUN],
    seconds: 1.5,
    // Few enough events to keep each client's backlog below 64 KB. The hub drops transient events
    // for clients with a larger backlog.
    events: [150, 20],
    send: ({ remote }, events) => remote.burst("message", events, 1),
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
    events: [160, 24],
    send: ({ remote }, events) => remote.burst("reply-delta", events, 8),
    column: "deliveries/s",
    goals: [{ to: SOCKET_IO, atLeast: 5 }],
  },
  {
    name: "B3 paced, 50 k deliveries/s, p99",
    names: [HUB, WS, SOCKET_IO, TRPC],
    // One order takes three seconds.
    seconds: 0,
    events: [300, 20],
    send: ({ remote }, events) => remote.pace("message", events, PACE_MS),
    column: "p99 ms",
    goals: [{ to: SOCKET_IO, atMost: 1.1 }],
  },
];
export const broadcasts: Scenario[] = rows.map(scenarioOf);
