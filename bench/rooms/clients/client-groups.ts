/** The load generator of B1 to B5, a process with a CPU core of its own. */
import { answerCalls } from "../../processes/answer-calls.ts";
import { inLanes } from "../../runner/lanes.ts";
import { quantile } from "../../runner/quantile.ts";
import { nowUs } from "../peers/bench-event.ts";
import { type Dialect, dialects } from "./dialects.ts";
import { RoomClient } from "./room-client.ts";

/** How clients reach a server. */
export interface Address {
  dialect: keyof typeof dialects;
  port: number;
  soulId: number;
}

interface Connect extends Address {
  connections: number;
  /** The number of clients that connect concurrently. */
  concurrency: number;
  /** The number of connections per room. The rooms are <roomPrefix>-0, <roomPrefix>-1, … */
  roomSize: number;
  roomPrefix: string;
}

/** The clients that are connected to one server. */
interface Group {
  clients: RoomClient[];
  /** Lost, repeated or reordered events, and closed or refused connections. */
  failures: string[];
  /** The number of events that all clients together will receive. */
  expected: number;
  /** The latency of each event at each client. */
  latenciesUs: number[];
  onChange(): void;
}

/** The longest time in which all expected events arrive. */
const RECEIVE_MS = 20_000;

const groups: Group[] = [];

function groupOf(id: number): Group {
  const group = groups[id];
  if (!group) throw new Error(`No connections have the id ${id}.`);
  return group;
}

/** Connects a client. The promise resolves when it is in its room. */
function connectClient(group: Group, order: Connect, nth: number): Promise<void> {
  const dialect: Dialect = dialects[order.dialect];
  const room = `${order.roomPrefix}-${Math.floor(nth / order.roomSize)}`;
  return new Promise((resolve) => {
    const client = new RoomClient({
      port: order.port,
      soulId: order.soulId,
      dialect,
      room,
      // The hub identifies guests by address and user agent.
      name: `load-${nth}`,
      onSync: resolve,
      onEvent: (tookUs) => {
        if (group.latenciesUs.push(tookUs) >= group.expected) group.onChange();
      },
      onFailure: (what) => {
        group.failures.push(what);
        resolve();
        group.onChange();
      },
    });
    group.clients.push(client);
  });
}

const spreadOf = (timesUs: Iterable<number>) => ({
  "p50 ms": quantile(timesUs, 0.5) / 1_000,
  "p99 ms": quantile(timesUs, 0.99) / 1_000,
});

function assertWhole({ failures }: Group): void {
  if (failures.length > 0) throw new Error(failures.splice(0).slice(0, 5).join("; "));
}

export const clientGroups = {
  /** Connects all clients of a group. Returns its id and the durations of the connects. */
  async connect(order: Connect) {
    const group: Group = {
      clients: [],
      failures: [],
      expected: 0,
      latenciesUs: [],
      onChange: () => {},
    };
    const id = groups.push(group) - 1;
    const took: number[] = [];
    const clients = Array.from({ length: order.connections }, (_, nth) => nth);
    await inLanes(order.concurrency, clients, async (nth) => {
      const start = nowUs();
      await connectClient(group, order, nth);
      took.push(nowUs() - start);
    });
    assertWhole(group);
    return { id, times: spreadOf(took) };
  },

  /** Announces that each client will receive this many further events. */
  expect(id: number, events: number) {
    const group = groupOf(id);
    group.expected = events * group.clients.length;
    group.latenciesUs = [];
  },

  /** Waits until every client has received the events that `expect` announced. */
  async receive(id: number) {
    const group = groupOf(id);
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, RECEIVE_MS);
    const missing = () => group.expected - group.latenciesUs.length;
    group.onChange = () => {
      if (group.failures.length > 0 || missing() <= 0) over.resolve();
    };
    group.onChange();
    await over.promise;
    clearTimeout(timer);
    if (missing() > 0) group.failures.push(`${missing()} events did not arrive`);
    if (missing() < 0) group.failures.push("more events arrived than were expected");
    assertWhole(group);
    return spreadOf(group.latenciesUs);
  },

  leave(id: number) {
    const group = groupOf(id);
    for (const client of group.clients.splice(0)) client.leave();
    assertWhole(group);
  },
};
answerCalls(clientGroups);
