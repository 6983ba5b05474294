import fc from "fast-check";
import { afterEach, beforeEach, describe, inject, it, vi } from "vitest";
import { type ModelNetwork, processNetwork, redisNetwork } from "./model-network.fixture.ts";
import { fakeLog, fakeTime, ROOM } from "./room.fixture.ts";
import { type ModelLog, type Step, steps, World } from "./room-model.fixture.ts";

const networks: [string, () => Promise<ModelNetwork>, number][] = [
  ["in one process", processNetwork, 100],
];
// Fewer cases run over Redis, since it answers in real time.
if (inject("services").redis) networks.push(["over Redis", redisNetwork, 14]);

const buses = [
  ["a lossless bus", undefined],
  [
    "a bus that loses, repeats and reorders one in a hundred",
    { lost: 0.01, late: 0.01, doubled: 0.01 },
  ],
  ["a bus that loses, repeats and reorders most", { lost: 0.2, late: 0.3, doubled: 0.2 }],
] as const;

/** Returns test steps: a client starts to join a room, and `ms` later a message arrives. */
const enterAnd = (ms: number): Step[] => [
  { do: "connect", who: 0, node: 0 },
  { do: "wait", ms },
  { do: "post", count: 1 },
  { do: "wait", ms: 2_000 },
];
const between = [2, 2, 2, 2, 1, 1, 3, 3, 0, 0];

/**
 * Over the worst bus, a client asks for changes and is told of one whose message it lacks. Its
 * server, which lacks the change, then sends the former message. The next server has no news.
 */
const toldOfLaterMessage: [Step[], number] = [
  [
    { do: "connect", who: 1, node: 1 },
    { do: "post", count: 2 },
    { do: "reply", node: 0 },
    { do: "post", count: 1 },
    { do: "post", count: 2 },
    { do: "change", count: 2 },
    { do: "wait", ms: 3 },
    { do: "wait", ms: 3 },
    { do: "connect", who: 1, node: 1 },
    { do: "connect", who: 0, node: 1 },
    { do: "change", count: 3 },
    { do: "type", node: 0 },
    { do: "post", count: 11 },
    { do: "hand over", who: 1, node: 0 },
    { do: "change", count: 5 },
    { do: "wait", ms: 2_000 },
  ],
  47492878,
];
const entering = between.map((ms, seed): [Step[], number] => [enterAnd(ms), seed]);

/** Creates a log whose queries take a random time. */
async function slowLog(random: () => number): Promise<ModelLog> {
  const slow = () => new Promise<void>((resolve) => setTimeout(resolve, Math.floor(random() * 4)));
  const log = fakeLog(slow, slow, () => 1 + Math.floor(random() * 5));
  let changes = 0;
  return {
    ...log,
    roomKey: ROOM,
    append: async () => ({ message: log.append() }),
    async change() {
      const message = log.messages[Math.floor(random() * (log.messages.length + 1))];
      return log.change(`Change ${++changes}`, message?.id);
    },
    get end() {
      return log.end;
    },
    settle: async () => {},
  };
}

/**
 * The invariant of the live rooms: a client's log, with all changes of its messages, equals the
 * hub's after any sequence of faults. Faults are disconnects, crashes, and lost, repeated or late
 * messages. A failure prints the seed and the shortest case.
 * @param times how many times the ordinary number of cases runs
 */
export function describeRoomModel(times: number): void {
  beforeEach(() => void fakeTime());
  afterEach(() => void vi.useRealTimers());

  describe.each(networks)("every client's log equals the hub's, %s", (_, network, cases) => {
    it.each(buses)("over %s", { timeout: 120_000 * times }, async (_, faults) => {
      await fc.assert(
        fc.asyncProperty(steps, fc.nat(), async (steps, seed) => {
          const world = await World.make({ seed, log: slowLog, network, faults });
          await world.run(steps);
        }),
        { numRuns: times * cases, examples: [...entering, toldOfLaterMessage] },
      );
    });
  });
}
