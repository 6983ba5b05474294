import { fileURLToPath } from "node:url";
import { cleanRun } from "../clean-run.ts";
import { freePort } from "../rest/contenders.ts";
import { startPinned, watchProcess } from "../rest/pinned-process.ts";
import { printTable } from "../rest/report.ts";
import { startTalkers, type Talkers } from "./load/start-talkers.ts";
import type { Talker, TalkOrder, TalkResult } from "./load/talk-protocol.ts";
import { PACED_WORDS, WORD_MS } from "./spoken-words.ts";
import { startTalkingHub, type TalkingHub } from "./talking-hub.ts";

const ROOMS = 16;
/** A room asks, reads the reply, and asks again so long after it asked before. */
const EVERY_MS = 250;
const ROUNDS = 5;
const SLICE_SECONDS = 4;
const WARM_UP_SECONDS = 4;
const CROWD = 1_000;
const AT_MOST_MS = 600_000;
/** The provider and the talkers have one core, the hub the other. */
const OTHER_CORE = 1;

// The goals: what the hub may add to the provider's own time.
const FIRST_TOKEN_MS = 5;
const goals = { PostgreSQL: { p50: 8, p99: 25 }, PGlite: { p50: 15, p99: 40 } };

interface Bench {
  providerPort: number;
  talkers: Talkers;
}

const databases = ["PostgreSQL", "PGlite"] as const;

/** `pnpm bench chat`, or rows alone: `pnpm bench chat crowd`, `pnpm bench chat "rooms PGlite"`. True: every goal is reached. */
export const run = (names: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase, onEnd) => {
    const isWanted = (row: string) => !names.length || names.some((name) => row.includes(name));
    const providerPort = await freePort();
    const script = fileURLToPath(new URL("./provider-process.ts", import.meta.url));
    startPinned(OTHER_CORE, script, [String(providerPort)], { ipc: true });
    const bench = { providerPort, talkers: startTalkers(OTHER_CORE) };
    const reached: boolean[] = [];
    const crowds: string[][] = [];
    for (const name of databases) {
      const wantsRooms = isWanted(`rooms ${name}`);
      const wantsCrowd = isWanted(`crowd ${name}`);
      if (!wantsRooms && !wantsCrowd) continue;
      const databaseUrl = name === "PostgreSQL" ? await newDatabase() : null;
      const hub = await startTalkingHub(name, { databaseUrl, providerPort }, onEnd);
      if (wantsRooms) reached.push(await talkInRooms(bench, hub, goals[name]));
      if (wantsCrowd) {
        const crowd = await gatherCrowd(bench, hub);
        reached.push(crowd.reached);
        crowds.push(crowd.line);
      }
      hub.process.kill();
    }
    if (reached.length === 0) throw new Error(`No row is called ${names.join(" or ")}.`);
    if (crowds.length > 0) {
      const seconds = (PACED_WORDS * WORD_MS) / 1_000;
      console.log(
        `\n${CROWD} replies written at once, ${1_000 / WORD_MS} words a second for ${seconds} s\n`,
      );
      printTable([crowdHeads, ...crowds]);
    }
    return reached.every(Boolean);
  });

type Row = Pick<TalkOrder, "whom" | "streamed" | "everyMs"> & { title: string };
const pacedRow = {
  title: "POST /api/chat",
  whom: "hub",
  streamed: false,
  everyMs: EVERY_MS,
} as const;
const rows: Row[] = [
  { ...pacedRow, title: "the provider itself", whom: "provider" },
  pacedRow,
  { ...pacedRow, title: "the same, streamed", streamed: true },
  { ...pacedRow, title: "the provider, without a pause", whom: "provider", everyMs: 0 },
  { ...pacedRow, title: "POST /api/chat, without a pause", everyMs: 0 },
];

async function talkInRooms(
  { providerPort, talkers }: Bench,
  hub: TalkingHub,
  goal: { p50: number; p99: number },
): Promise<boolean> {
  const rooms = await hub.talkers(ROOMS);
  const talk = ({ whom, streamed, everyMs }: Row, seconds: number) =>
    talkers.talk({
      whom,
      streamed,
      everyMs,
      port: whom === "hub" ? hub.port : providerPort,
      talkers: rooms,
      seconds,
    });
  for (const row of rows) await talk(row, WARM_UP_SECONDS);
  const samples = new Map(rows.map((row) => [row, [] as Sample[]]));
  // A B C, A B C, …: what disturbs the machine for a while disturbs all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of rows) {
      const watch = watchProcess(hub.process);
      const result = await talk(row, SLICE_SECONDS);
      samples.get(row)?.push({ ...result, use: watch.read() });
    }
  }
  console.log(`\n${hub.name}: ${ROOMS} rooms, a message every ${EVERY_MS} ms in each\n`);
  printTable([heads, ...rows.map((row) => lineOf(row, samples))]);
  return verdict(hub.name, samples, goal);
}

interface Sample extends TalkResult {
  use: { peakMiB: number; cpuMs: number } | null;
}
type Samples = Map<Row, Sample[]>;

const heads = [
  "asked",
  "replies/s",
  "p50 ms",
  "p99 ms",
  "first token p50 ms",
  "failures",
  "hub CPU ms/reply",
  "peak MiB",
  "talkers' CPU",
];

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const medianOf = (samples: Samples, row: Row | undefined, key: keyof TalkResult): number =>
  median((row ? samples.get(row) : undefined)?.map((sample) => sample[key]) ?? []);

function lineOf(row: Row, samples: Samples): string[] {
  const taken = samples.get(row) ?? [];
  const isHub = row.whom === "hub";
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
    `${(medianOf(samples, row, "talkerCpu") * 100).toFixed(0)} %`,
  ];
}

function verdict(name: string, samples: Samples, goal: { p50: number; p99: number }): boolean {
  const [direct, whole, streamed] = rows;
  const added = (row: Row | undefined, key: keyof TalkResult) =>
    medianOf(samples, row, key) - medianOf(samples, direct, key);
  const failures = [...samples.values()].flat().reduce((sum, sample) => sum + sample.failures, 0);
  const judged: [string, number, number][] = [
    ["p50", added(whole, "p50Ms"), goal.p50],
    ["p99", added(whole, "p99Ms"), goal.p99],
    ["first token p50", added(streamed, "firstTokenP50Ms"), FIRST_TOKEN_MS],
    ["failures", failures, 0],
  ];
  console.log();
  for (const [what, measured, limit] of judged) {
    const word = measured <= limit ? "reached" : "MISSED ";
    console.log(
      `${word}  ${name}: the hub adds ${measured.toFixed(1)} to ${what}, the goal is ${limit}`,
    );
  }
  return judged.every(([, measured, limit]) => measured <= limit);
}

const crowdHeads = [
  "database",
  "whole",
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
  "talkers' CPU",
];

async function gatherCrowd({ talkers }: Bench, hub: TalkingHub) {
  const crowd: Talker[] = await hub.talkers(CROWD);
  await hub.eventLoopDelay();
  const watch = watchProcess(hub.process);
  const result = await talkers.gather({ port: hub.port, crowd });
  const use = watch.read();
  const delay = await hub.eventLoopDelay();
  if (result.lost > 0) console.log(`\n${hub.name}: lost as`, result.endings);
  const cpu = (use?.cpuMs ?? Number.NaN) / result.seconds / 10;
  const line = [
    hub.name,
    String(result.whole),
    String(result.lost),
    result.seconds.toFixed(1),
    ...[result.gapP50Ms, result.gapP99Ms, delay.p50, delay.p99, delay.max].map((ms) =>
      ms.toFixed(0),
    ),
    `${cpu.toFixed(0)} %`,
    (((use?.cpuMs ?? Number.NaN) * 1_000) / (result.whole * PACED_WORDS)).toFixed(1),
    (use?.peakMiB ?? Number.NaN).toFixed(0),
    `${(result.talkerCpu * 100).toFixed(0)} %`,
  ];
  return { line, reached: result.lost === 0 };
}
