import { mkdtemp, open, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanRun } from "../clean-run.ts";
import { median } from "../median.ts";
import { type Contender, startHubWith } from "../rest/contenders.ts";
import type { LoadOrder, LoadResult, Question } from "../rest/load/load-protocol.ts";
import { printTable } from "../rest/report.ts";
import { interleave } from "../rooms/medians.ts";
import { startWorker } from "../worker-process.ts";

const GENERATOR_CORE = 1;
const SLICE_SECONDS = 2;
const AT_MOST_MS = 180_000;
const SOULS = 64;
const CONTENT = "Patient and brief. ".repeat(80);
/** PostgreSQL writes the WAL in pages of this size. */
const WAL_PAGE_BYTES = 8_192;
/** Flushes are paused, as between writes of the hub: flushes without a pause are faster. */
const FLUSHES = 300;
const PAUSE_MS = 2;
/** The type of tmpfs in statfs(2), which has no disk. */
const TMPFS = 0x01021994;

const ON = "DATA_SYNC=on";
const OFF = "DATA_SYNC=off";

/**
 * The minimum ratio of the writes per second with DATA_SYNC on and off, on an SSD. A slower disk
 * misses it: a write waits for one flush.
 */
const GOAL = 0.3;
const rows = [
  { title: "1 writer", connections: 1 },
  { title: "16 writers", connections: 16 },
];

type Measured = Contender & { questions: Question[] };

/**
 * Runs `pnpm bench sync`: what the embedded database's flush before each answer costs (0029).
 * Resolves to true if every goal is reached.
 * @param selection parts of the titles of the rows to measure; empty selects all
 */
export const run = (selection: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (_newDatabase, onEnd) => {
    const directory = await mkdtemp(path.join(process.env.BENCH_DIR || tmpdir(), "soul-hub-sync-"));
    onEnd(() => rm(directory, { recursive: true, force: true }));
    if ((await statfs(directory)).type === TMPFS) {
      throw new Error(`${directory} is in memory. Name a directory on a disk: BENCH_DIR=…`);
    }
    const hubs: Measured[] = [];
    for (const [name, DATA_SYNC] of [
      [OFF, "off"],
      [ON, "on"],
    ] as const) {
      const DATA_DIR = path.join(directory, DATA_SYNC);
      const hub = await startHubWith({ DATA_DIR, DATA_SYNC, STARTER_SOULS: "off" });
      hubs.push({ ...hub, name, questions: await publishSouls(hub) });
    }
    const generator = startWorker<LoadOrder, LoadResult>(
      GENERATOR_CORE,
      new URL("../rest/load/load-generator.ts", import.meta.url),
    );
    const results: boolean[] = [];
    for (const row of rows) {
      if (selection.length > 0 && !selection.some((part) => row.title.includes(part))) continue;
      const { connections } = row;
      const load = ({ port, questions }: Measured) =>
        generator.ask({ port, connections, seconds: SLICE_SECONDS, questions });
      for (const hub of hubs) await load(hub);
      const flushMs = await measureFlush(directory);
      results.push(report(row.title, flushMs, await interleave(hubs, load)));
    }
    return results.every(Boolean);
  });

/** Returns the mean time of a write and fsync of one page of WAL, in milliseconds. */
async function measureFlush(directory: string): Promise<number> {
  await using file = await open(path.join(directory, "page"), "w");
  const page = Buffer.alloc(WAL_PAGE_BYTES, 7);
  let totalMs = 0;
  for (let nth = 0; nth < FLUSHES; nth++) {
    await sleep(PAUSE_MS);
    const start = performance.now();
    await file.write(page, 0, WAL_PAGE_BYTES, (nth % 8) * WAL_PAGE_BYTES);
    await file.sync();
    totalMs += performance.now() - start;
  }
  return totalMs / FLUSHES;
}

/** Publishes souls of one account. Returns requests that change them. */
async function publishSouls({ port }: Contender): Promise<Question[]> {
  const post = async (address: string, body: object, key = "") => {
    const response = await fetch(`http://127.0.0.1:${port}${address}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
    return response.json() as Promise<{ api_key: string; id: number }>;
  };
  const account = { username: "ada", password: "correct horse battery", email: "a@example.org" };
  const { api_key: apiKey } = await post("/api/register", account);
  const questions: Question[] = [];
  for (let nth = 0; nth < SOULS; nth++) {
    const { id } = await post("/api/souls", { title: `Soul ${nth}`, content: CONTENT }, apiKey);
    const body = JSON.stringify({ content: `${CONTENT}${nth}` });
    const write = { method: "PUT" as const, apiKey, body };
    questions.push({ path: `/api/soul/${id}`, answerBytes: null, write });
  }
  return questions;
}

/** Prints one row. Returns true if its goal is reached and no request failed. */
function report(title: string, flushMs: number, samples: Map<Measured, LoadResult[]>): boolean {
  const of = (taken: LoadResult[], key: keyof LoadResult) => median(taken.map((one) => one[key]));
  const rate = (name: string) =>
    of([...samples].find(([hub]) => hub.name === name)?.[1] ?? [], "requestsPerSecond");
  console.log(`\nPUT /api/soul/{id}, ${title}\n`);
  printTable([
    ["embedded hub", "writes/s", "ratio", "p50 ms", "p99 ms"],
    ...[...samples].map(([{ name }, taken]) => [
      name,
      rate(name).toFixed(0),
      (rate(name) / rate(OFF)).toFixed(2),
      of(taken, "p50Ms").toFixed(2),
      of(taken, "p99Ms").toFixed(2),
    ]),
  ]);
  const ratio = rate(ON) / rate(OFF);
  const failures = [...samples.values()].flat().reduce((sum, one) => sum + one.failures, 0);
  const isReached = ratio >= GOAL && failures === 0;
  console.log(
    `\n${isReached ? "reached" : "MISSED "}  ${ratio.toFixed(2)} × ${OFF}, goal ≥ ${GOAL}; ${failures} failures, goal 0. A flush alone takes ${flushMs.toFixed(2)} ms.`,
  );
  return isReached;
}
