import { type ChatHub, startChatHub } from "../processes/chat-hub.ts";
import { startWorker, type Worker } from "../processes/worker.ts";
import { providerOf } from "../provider/start-provider.ts";
import type { Bench, Scenario } from "../runner/bench.ts";
import { takeTurns, valueAt, watched } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import type { chatClients, RoomsOrder } from "./chat-clients.ts";

const ROOMS = 16;
/** Time between two messages of a room. */
const INTERVAL_MS = 250;
const ROUNDS = 5;
const BURST = 1_000;
const WORD_MS = 20;
const FIRST_TOKEN_MS = 5;
/** The replies of the burst take 10 s at least. */
const BURST_SECONDS = 12.5;
const LOOP_DELAY_MS = 500;

/** The milliseconds that the hub may add to the response time of the model provider. */
const databases = {
  PostgreSQL: { p50: 8, p99: 25 },
  PGlite: { p50: 10, p99: 40 },
};
type DatabaseName = keyof typeof databases;

const hubOn = (stage: Stage, name: DatabaseName): Promise<ChatHub> =>
  stage.share(name, async () => {
    const { settings } = await providerOf(stage);
    const databaseUrl = name === "PostgreSQL" ? await stage.newDatabase() : undefined;
    return startChatHub(stage, { name: `Soul Hub on ${name}`, databaseUrl, settings });
  });

export const chatClientsOf = (stage: Stage): Promise<Worker<typeof chatClients>> =>
  stage.share("chat clients", async () => {
    const script = new URL("./chat-clients.ts", import.meta.url);
    return startWorker<typeof chatClients>(stage, script);
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
    const provider = await providerOf(stage);
    const { remote, process: clientProcess } = await chatClientsOf(stage);
    const clients = await hub.clients(stage.size(ROOMS, 2));
    const seconds = stage.size(4, 0.4);
    const table = await takeTurns(stage, rows, ROUNDS, async ({ name: _, ...row }) => {
      const isHub = row.target === "hub";
      const { port } = isHub ? hub.server : provider;
      const order = { ...row, port, clients, seconds };
      const [values, use] = await watched(
        hub.server.process,
        () => remote.rooms(order),
        clientProcess,
      );
      const perReply = { "server CPU ms/reply": use.cpuMs / values.replies };
      return { ...values, ...use.columns, ...(isHub && perReply) };
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
    const { remote, process: clientProcess } = await chatClientsOf(stage);
    const clients = await hub.clients(stage.size(BURST, 8));
    const words = stage.size(500, 25);
    const delay = () => hub.metric("nodejs_eventloop_lag_p99_seconds");
    // Reading the metric begins a new measurement of the event loop's delay.
    await delay();
    const order = { port: hub.server.port, clients, words, everyMs: WORD_MS };
    const [{ faults, values }, use] = await watched(
      hub.server.process,
      () => remote.burst(order),
      clientProcess,
    );
    const delayMs = 1_000 * (await delay());
    const ofHub = {
      "loop delay p99 ms": delayMs,
      "CPU µs/word": (use.cpuMs * 1_000) / (values.complete * words),
      ...use.columns,
    };
    return {
      table: new Map([[hub.name, { ...values, ...ofHub }]]),
      goals: [
        atMost(`${hub.name}: burst`, values.seconds, BURST_SECONDS, " s"),
        atMost(`${hub.name}: loop delay p99`, delayMs, LOOP_DELAY_MS, " ms"),
      ],
      faults: faults.map((fault) => `${hub.name}: a lost reply: ${fault}`),
    };
  },
});

/** How much time does the hub add to a model provider? */
export const bench: Bench = {
  scenarios: (["PostgreSQL", "PGlite"] as const).flatMap((name) => [roomsOn(name), burstOn(name)]),
};
