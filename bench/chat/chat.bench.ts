import { type ChatHub, startChatHub } from "../processes/chat-hub.ts";
import { providerOf } from "../provider/start-provider.ts";
import type { Bench, Scenario } from "../runner/bench.ts";
import { takeTurns, valueAt } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { chatLoadOf } from "./load/chat-load.ts";
import type { RoomsOrder } from "./load/load-protocol.ts";

const ROOMS = 16;
/** Time between two messages of a room. A room sends its next message only after the reply. */
const INTERVAL_MS = 250;
const ROUNDS = 5;
const BURST = 1_000;
const FIRST_TOKEN_MS = 5;

/** The milliseconds that the hub may add to the response time of the model provider. */
const databases = {
  PostgreSQL: { p50: 8, p99: 25 },
  PGlite: { p50: 15, p99: 40 },
};
type DatabaseName = keyof typeof databases;

const hubOn = (stage: Stage, name: DatabaseName): Promise<ChatHub> =>
  stage.share(name, async () => {
    const { settings } = await providerOf(stage);
    const databaseUrl = name === "PostgreSQL" ? await stage.newDatabase() : undefined;
    return startChatHub(stage, { name: `Soul Hub on ${name}`, databaseUrl, settings });
  });

const PROVIDER = "provider alone";
const WHOLE = "POST /api/chat";
const STREAMED = "POST /api/chat, streamed";

const row = (name: string, target: RoomsOrder["target"], intervalMs = INTERVAL_MS) => ({
  name,
  target,
  intervalMs,
  streamed: name === STREAMED,
});
const rows = [
  row(PROVIDER, "provider"),
  row(WHOLE, "hub"),
  row(STREAMED, "hub"),
  row("provider alone, no interval", "provider", 0),
  row("POST /api/chat, no interval", "hub", 0),
];

/** 16 rooms send messages at an interval, and as fast as the replies come. */
const roomsOn = (database: DatabaseName): Scenario => ({
  name: `rooms ${database}`,
  atMostSeconds: 300,
  async run(stage) {
    const hub = await hubOn(stage, database);
    const { port } = await providerOf(stage);
    const load = await chatLoadOf(stage);
    const clients = await hub.clients(stage.size(ROOMS, 2));
    const table = await takeTurns(stage, rows, ROUNDS, async ({ name: _, target, ...row }) => {
      const isHub = target === "hub";
      const order = { ...row, target, clients, port: isHub ? hub.server.port : port };
      const [result, use] = await load.rooms(hub.server, { ...order, seconds: stage.size(4, 0.4) });
      return {
        "replies/s": result.repliesPerSecond,
        "p50 ms": result.p50Ms,
        "p99 ms": result.p99Ms,
        "first token p50 ms": result.firstTokenP50Ms,
        "clients' CPU %": result.clientCpu * 100,
        ...(isHub && {
          "hub CPU ms/reply": use.cpuMs / result.replies,
          "peak MiB": use.peakMiB,
        }),
      };
    });
    const added = (name: string, column: string, limit: number) =>
      atMost(
        `${hub.name}: added to ${column}`,
        valueAt(table, name, column) - valueAt(table, PROVIDER, column),
        limit,
        " ms",
      );
    const goal = databases[database];
    return {
      table,
      goals: [
        added(WHOLE, "p50 ms", goal.p50),
        added(WHOLE, "p99 ms", goal.p99),
        added(STREAMED, "first token p50 ms", FIRST_TOKEN_MS),
      ],
    };
  },
});

/** 1,000 clients request a paced reply at the same moment. */
const burstOn = (database: DatabaseName): Scenario => ({
  name: `burst ${database}`,
  atMostSeconds: 180,
  async run(stage) {
    const hub = await hubOn(stage, database);
    const { pacedWords: words } = await providerOf(stage);
    const load = await chatLoadOf(stage);
    const clients = await hub.clients(stage.size(BURST, 8));
    const delay = async (quantile: string) =>
      1_000 * (await hub.metric(`nodejs_eventloop_lag_${quantile}_seconds`));
    // Reading the metric begins a new measurement of the event loop's delay.
    await delay("p99");
    const [result, use] = await load.burst(hub.server, { clients, words });
    return {
      table: new Map([
        [
          hub.name,
          {
            complete: result.complete,
            lost: result.faults.length,
            seconds: result.seconds,
            "gap p50 ms": result.gapP50Ms,
            "gap p99 ms": result.gapP99Ms,
            "loop delay p99 ms": await delay("p99"),
            "hub CPU %": use.cpuMs / result.seconds / 10,
            "CPU µs/word": (use.cpuMs * 1_000) / (result.complete * words),
            "peak MiB": use.peakMiB,
            "clients' CPU %": result.clientCpu * 100,
          },
        ],
      ]),
      faults: result.faults.map((fault) => `${hub.name}: a lost reply: ${fault}`),
    };
  },
});

/** How much time does the hub add to a model provider? */
export const bench: Bench = {
  scenarios: (["PostgreSQL", "PGlite"] as const).flatMap((name) => [roomsOn(name), burstOn(name)]),
};
