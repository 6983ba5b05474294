import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanRun } from "../clean-run.ts";
import { ADMIN_TOKEN, type Contender, startHubWith } from "../rest/contenders.ts";
import { type Connection, openConnection, prepare } from "../rest/load/http-connection.ts";
import type { Question } from "../rest/load/load-protocol.ts";
import { watchProcess } from "../rest/pinned-process.ts";
import { printTable } from "../rest/report.ts";
import { measureDirectory, reportGrowth } from "./directory-sizes.ts";
import { seedWriters, type Writer } from "./seed-writers.ts";

const AT_MOST_MS = 7_200_000;
const SOULS = 1_000;
const WRITERS = 16;
/** One of so many writes is an edit, which stores a version for good. The others are likes. */
const EDIT_EVERY = 200;
/** Two readers with this pause need a small part of the hub's core. */
const READ_PAUSE_MS = 50;
/** The data directory's size after the writes must stay below this many times its size before. */
const GROWTH = 2;
const P99_MS = 250;

/**
 * Runs `pnpm bench upkeep [count] [on|off]`: 16 writers like and edit 1,000 souls of an embedded
 * hub, while two readers read. The second argument is DATA_SYNC, by default off: flushes take most
 * of the time, and change neither the dead rows nor the sizes. Resolves to true if the data directory, without the versions that the edits
 * added, stays below twice its size, and the p99 of a read within 250 ms.
 */
export const run = ([count = "1000000", sync = "off"]: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (_, onEnd) => {
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-bench-"));
    onEnd(() => rm(place, { recursive: true, force: true }));
    const directory = path.join(place, "data");
    const start = () =>
      startHubWith({
        DATA_DIR: directory,
        STARTER_SOULS: "off",
        DATA_SYNC: sync,
        // Without the access log, a million writes take less time.
        LOG_LEVEL: "warn",
      });
    const seeding = await start();
    const writers = await seedWriters(`http://127.0.0.1:${seeding.port}`, WRITERS, SOULS);
    await stop(seeding);
    const before = await measureDirectory(directory);

    const hub = await start();
    const cpu = watchProcess(hub.process);
    const load = await runLoad(hub.port, writers, Number(count));
    const cpuMs = cpu.read()?.cpuMs ?? Number.NaN;
    const upkeep = await upkeepMetrics(hub.port);
    await stop(hub);
    const after = await measureDirectory(directory);

    const { latencies, seconds, failed } = load;
    const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
    printTable([
      ["writes", "failed", "duration", "CPU of the hub per write", "reads", "read p99", "max"],
      [
        count,
        String(failed),
        `${seconds.toFixed(0)} s`,
        `${((cpuMs * 1_000) / Number(count)).toFixed(0)} µs`,
        String(latencies.length),
        `${p99.toFixed(0)} ms`,
        `${latencies.at(-1)?.toFixed(0)} ms`,
      ],
    ]);
    const growth = reportGrowth(before, after);
    console.log(upkeep);
    return failed === 0 && growth < GROWTH && p99 <= P99_MS;
  });

/** Waits until the hub has closed its database. */
async function stop({ process: hub }: Contender): Promise<void> {
  const exited = once(hub, "exit");
  hub.kill("SIGTERM");
  await exited;
}

/** Makes `count` writes, and reads meanwhile. */
async function runLoad(port: number, writers: Writer[], count: number) {
  const all = writers.flatMap(({ souls }) => souls);
  const latencies: number[] = [];
  const writes = { left: count, failed: 0 };
  const isOver = { now: false };
  const reading = Promise.all(
    [`/api/soul/${all[0]}`, "/api/souls?limit=20"].map((address) =>
      read(port, address, latencies, isOver),
    ),
  );
  const started = performance.now();
  await Promise.all(writers.map((writer) => write(port, writer, all, writes)));
  const seconds = (performance.now() - started) / 1_000;
  isOver.now = true;
  await reading;
  latencies.sort((a, b) => a - b);
  return { latencies, seconds, failed: writes.failed };
}

/** Writes one call after the other, until all writers together have made all writes. */
async function write(
  port: number,
  { apiKey, souls }: Writer,
  all: number[],
  writes: { left: number; failed: number },
): Promise<void> {
  const connection = await openConnection(port);
  for (let n = 1; writes.left-- > 0; n++) {
    const isEdit = n % EDIT_EVERY === 0;
    const edited = souls[(n / EDIT_EVERY) % souls.length];
    const liked = all[Math.floor(Math.random() * all.length)];
    const body = JSON.stringify(isEdit ? { description: `Edit ${n}` } : { soul_id: liked });
    const isRight = await ask(connection, {
      path: isEdit ? `/api/soul/${edited}` : "/api/like",
      answerBytes: null,
      write: { method: isEdit ? "PUT" : "POST", apiKey, body },
    });
    if (!isRight) writes.failed++;
  }
  connection.close();
}

const ask = (connection: Connection, question: Question) => connection.ask(prepare(question));

async function read(port: number, address: string, latencies: number[], isOver: { now: boolean }) {
  const connection = await openConnection(port);
  while (!isOver.now) {
    const started = performance.now();
    if (!(await ask(connection, { path: address, answerBytes: null }))) {
      throw new Error(`${address} failed.`);
    }
    latencies.push(performance.now() - started);
    await sleep(READ_PAUSE_MS);
  }
  connection.close();
}

/** The hub's own measure of its upkeep. */
async function upkeepMetrics(port: number): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  return (text.match(/^soulhub_upkeep_seconds_(?:count|sum).*$/gm) ?? []).join("\n");
}
