/** The load generator of B1 to B5, a process with a CPU core of its own. */
import { WebSocket } from "ws";
import { answerCalls } from "../../processes/answer-calls.ts";
import { inLanes } from "../../runner/lanes.ts";
import { quantile } from "../../runner/quantile.ts";
import { MARK, nowUs } from "../peers/bench-event.ts";
import { type Dialect, dialects } from "./dialects.ts";

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
  sockets: WebSocket[];
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
const MARK_CODE = MARK.charCodeAt(0);
const SPACE = 0x20;
const ZERO = 0x30;

const groups: Group[] = [];

function groupOf(id: number): Group {
  const group = groups[id];
  if (!group) throw new Error(`No connections have the id ${id}.`);
  return group;
}

/** Connects a client, which checks that every event arrives once and in order. */
function connectClient(group: Group, order: Connect, nth: number): Promise<void> {
  const dialect: Dialect = dialects[order.dialect];
  const room = `${order.roomPrefix}-${Math.floor(nth / order.roomSize)}`;
  const socket = new WebSocket(`ws://127.0.0.1:${order.port}${dialect.path}`, {
    // The hub identifies guests by address and user agent.
    headers: { "user-agent": `load-${nth}` },
    perMessageDeflate: false,
    skipUTF8Validation: true,
  });
  group.sockets.push(socket);
  const synced = Promise.withResolvers<void>();
  /** The sync comes first. It may contain a reply in progress, and thus a MARK. */
  let isSynced = false;
  let lastNumber: number | undefined;

  const fail = (what: string) => {
    group.failures.push(what);
    synced.resolve();
    group.onChange();
  };
  const readEvent = (frame: Buffer, begin: number) => {
    let at = begin;
    const readNumber = () => {
      let number = 0;
      for (; frame[at] !== SPACE; at++) number = number * 10 + (frame[at] ?? 0) - ZERO;
      at++;
      return number;
    };
    const number = readNumber();
    // Event numbers continue across measurements of a room, so a client's first event may have any
    // number.
    if (number !== (lastNumber ?? number - 1) + 1) fail(`${number} came after ${lastNumber}`);
    lastNumber = number;
    if (group.latenciesUs.push(nowUs() - readNumber()) >= group.expected) group.onChange();
  };
  const readText = (text: string) => {
    const reply = dialect.reply?.(text, room);
    if (reply !== undefined) socket.send(reply);
    else if (text.includes('"type":"sync"')) {
      isSynced = true;
      synced.resolve();
    } else if (text.includes('"error":')) fail(text);
  };
  const hello = dialect.hello?.(room, order.soulId);
  socket.on("open", () => hello !== undefined && socket.send(hello));
  socket.on("message", (data: Buffer) => {
    const mark = isSynced ? data.indexOf(MARK_CODE) : -1;
    if (mark < 0) readText(data.toString());
    else readEvent(data, mark + 1);
  });
  socket.on("error", ({ message }) => fail(message));
  socket.on("close", (code, reason) => fail(`closed: ${code} ${reason}`));
  return synced.promise;
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
      sockets: [],
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
    group.expected = events * group.sockets.length;
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
    for (const socket of group.sockets.splice(0)) socket.removeAllListeners("close").terminate();
    assertWhole(group);
  },
};
answerCalls(clientGroups);
