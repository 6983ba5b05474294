import { fileURLToPath } from "node:url";
import { freePort } from "@soul-hub/api/testing";
import { cleanRun } from "../clean-run.ts";
import { median } from "../median.ts";
import { startPinned, watchProcess } from "../rest/pinned-process.ts";
import { printTable } from "../rest/report.ts";
import { type ChatHub, startChatHub } from "./chat-hub.ts";
import type { ChatClient, RoomsOrder, RoomsResult } from "./load/load-protocol.ts";
import { type ChatClients, startChatClients } from "./load/start-chat-clients.ts";
import { PACED_WORDS, WORD_MS } from "./provider-reply.ts";

const ROOMS = 16;
/** Time between two messages of a room. A room sends its next message only after the reply. */
const INTERVAL_MS = 250;
const ROUNDS = 5;
const SLICE_SECONDS = 4;
const WARM_UP_SECONDS = 4;
const BURST = 1_000;
/** Milliseconds after which the benchmark is aborted. */
const AT_MOST_MS = 600_000;
/** The CPU core of the model provider and the clients. The hub runs on the other core. */
const OTHER_CORE = 1;

// The goals: milliseconds that the hub may add to the response time of the model provider
// (bench/README.md).
const FIRST_TOKEN_MS = 5;
const goals = { PostgreSQL: { p50: 8, p99: 25 }, PGlite: { p50: 15, p99: 40 } };

interface Bench {
  providerPort: number;
  load: ChatClients;
}

const databases = ["PostgreSQL", "PGlite"] as const;

/**
 * Runs `pnpm bench chat`. Resolves to true if every goal is reached.
 * @param selection parts of row names, such as `burst` or `rooms PGlite`; empty selects all
 */
export const run = (selection: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase, onEnd) => {
    const isSelected = (row: string) =>
      selection.length === 0 || selection.some((part) => row.includes(part));
    const providerPort = await freePort();
    const script = fileURLToPath(new URL("./provider-process.ts", import.meta.url));
    startPinned(OTHER_CORE, script, [String(providerPort)], { ipc: true });
    const bench = { providerPort, load: startChatClients(OTHER_CORE) };
    const reached: boolean[] = [];
    const bursts: string[][] = [];
    for (const name of databases) {
      const wantsRooms = isSelected(`rooms ${name}`);
      const wantsBurst = isSelected(`burst ${name}`);
      if (!wantsRooms && !wantsBurst) continue;
      const databaseUrl = name === "PostgreSQL" ? await newDatabase() : null;
      const hub = await startChatHub(name, { databaseUrl, providerPort }, onEnd);
      if (wantsRooms) reached.push(await measureRooms(bench, hub, goals[name]));
      if (wantsBurst) {
        const burst = await measureBurst(bench, hub);
        reached.push(burst.reached);
        bursts.push(burst.line);
      }
      hub.process.kill();
    }
    if (reached.length === 0) throw new Error(`No row matches ${selection.join(" or ")}.`);
    if (bursts.length > 0) {
      const seconds = (PACED_WORDS * WORD_MS) / 1_000;
      console.log(
        `\n${BURST} concurrent replies, ${1_000 / WORD_MS} words per second for ${seconds} s\n`,
      );
      printTable([burstHeads, ...bursts]);
    }
    return reached.every(Boolean);
  });

type Row = Pick<RoomsOrder, "target" | "streamed" | "intervalMs"> & { title: string };
const pacedRow = {
  title: "POST /api/chat",
  target: "hub",
  streamed: false,
  intervalMs: INTERVAL_MS,
} as const;
const rows: Row[] = [
  { ...pacedRow, title: "provider alone", target: "provider" },
  pacedRow,
  { ...pacedRow, title: "POST /api/chat, streamed", streamed: true },
  { ...pacedRow, title: "provider alone, no interval", target: "provider", intervalMs: 0 },
  { ...pacedRow, title: "POST /api/chat, no interval", intervalMs: 0 },
];

async function measureRooms(
  { providerPort, load }: Bench,
  hub: ChatHub,
  goal: { p50: number; p99: number },
): Promise<boolean> {
  const rooms = await hub.clients(ROOMS);
  const measure = ({ target, streamed, intervalMs }: Row, seconds: number) =>
    load.rooms({
      target,
      streamed,
      intervalMs,
      port: target === "hub" ? hub.port : providerPort,
      clients: rooms,
      seconds,
    });
  for (const row of rows) await measure(row, WARM_UP_SECONDS);
  const samples = new Map(rows.map((row) => [row, [] as Sample[]]));
  // The measurement alternates between the rows (A B C, A B C, …). A disturbance then affects all
  // of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of rows) {
      const watch = watchProcess(hub.process);
      const result = await measure(row, SLICE_SECONDS);
      samples.get(row)?.push({ ...result, use: watch.read() });
    }
  }
  console.log(`\n${hub.name}: ${ROOMS} rooms, one message per room every ${INTERVAL_MS} ms\n`);
  printTable([heads, ...rows.map((row) => lineOf(row, samples))]);
  return verdict(hub.name, samples, goal);
}

interface Sample extends RoomsResult {
  use: { peakMiB: number; cpuMs: number } | null;
}
type Samples = Map<Row, Sample[]>;

const heads = [
  "request",
  "replies/s",
  "p50 ms",
  "p99 ms",
  "first token p50 ms",
  "failures",
  "hub CPU ms/reply",
  "peak MiB",
  "clients' CPU",
];

const medianOf = (samples: Samples, row: Row | undefined, key: keyof RoomsResult): number =>
  median((row ? samples.get(row) : undefined)?.map((sample) => sample[key]) ?? []);

function lineOf(row: Row, samples: Samples): string[] {
  const taken = samples.get(row) ?? [];
  const isHub = row.target === "hub";
  const cpu = median(taken.map(({ use, replies }) => (use?.cpuMs ?? Number.NaN) / replies));
  const peak = Math.max(...taken.map(({ use }) => use?.peakMiB ?? Number.NaN));
  return [
    row.title,
    medianOf(samples, row, "repliesPerSecond").toFixed(0),
    medianOf(samples, row, "p50Ms").toFixed(1),
    medianOf(samples, row, "p99Ms").toFixed(1),
    row.streamed || !isHub ? medianOf(samples, row, "firstTokenP50Ms").toFixed(1) : "",
    String(taken.reduce((sum, { failures }) => sum + failures, 0)),
    isHub ? cpu.toFixed(2) : "",
    isHub ? peak.toFixed(0) : "",
    `${(medianOf(samples, row, "clientCpu") * 100).toFixed(0)} %`,
  ];
}

function verdict(name: string, samples: Samples, goal: { p50: number; p99: number }): boolean {
  const [provider, complete, streamed] = rows;
  const added = (row: Row | undefined, key: keyof RoomsResult) =>
    medianOf(samples, row, key) - medianOf(samples, provider, key);
  const failures = [...samples.values()].flat().reduce((sum, sample) => sum + sample.failures, 0);
  const verdicts: [string, number, number][] = [
    ["p50", added(complete, "p50Ms"), goal.p50],
    ["p99", added(complete, "p99Ms"), goal.p99],
    ["first token p50", added(streamed, "firstTokenP50Ms"), FIRST_TOKEN_MS],
    ["failures", failures, 0],
  ];
  console.log();
  for (const [measure, measured, limit] of verdicts) {
    const word = measured <= limit ? "reached" : "MISSED ";
    console.log(`${word}  ${name}: added to ${measure}: ${measured.toFixed(1)}, goal ≤ ${limit}`);
  }
  return verdicts.every(([, measured, limit]) => measured <= limit);
}

const burstHeads = [
  "database",
  "complete",
  "lost",
  "seconds",
  "gap p50 ms",
  "gap p99 ms",
  "loop delay p50 ms",
  "p99 ms",
  "max ms",
  "hub CPU",
  "CPU µs/word",
  "peak MiB",
  "clients' CPU",
];

async function measureBurst({ load }: Bench, hub: ChatHub) {
  const clients: ChatClient[] = await hub.clients(BURST);
  await hub.eventLoopDelay();
  const watch = watchProcess(hub.process);
  const result = await load.burst({ port: hub.port, clients });
  const use = watch.read();
  const delay = await hub.eventLoopDelay();
  if (result.lost > 0) console.log(`\n${hub.name}: errors of lost replies`, result.errors);
  const cpu = (use?.cpuMs ?? Number.NaN) / result.seconds / 10;
  const line = [
    hub.name,
    String(result.complete),
    String(result.lost),
    result.seconds.toFixed(1),
    ...[result.gapP50Ms, result.gapP99Ms, delay.p50, delay.p99, delay.max].map((ms) =>
      ms.toFixed(0),
    ),
    `${cpu.toFixed(0)} %`,
    (((use?.cpuMs ?? Number.NaN) * 1_000) / (result.complete * PACED_WORDS)).toFixed(1),
    (use?.peakMiB ?? Number.NaN).toFixed(0),
    `${(result.clientCpu * 100).toFixed(0)} %`,
  ];
  return { line, reached: result.lost === 0 };
}
