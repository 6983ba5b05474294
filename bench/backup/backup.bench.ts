import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { restoreBackup } from "@soul-hub/api/operator";
import { freePort } from "@soul-hub/api/testing";
import { type ChatHub, startChatHub } from "../chat/chat-hub.ts";
import type { ChatClient } from "../chat/load/load-protocol.ts";
import { cleanRun } from "../clean-run.ts";
import { ADMIN_TOKEN } from "../rest/contenders.ts";
import { startPinned } from "../rest/pinned-process.ts";
import { printTable } from "../rest/report.ts";
import { type Period, send, startLoad } from "./calls.ts";
import { assertSameAccount, logIn } from "./proof-of-account.ts";
import { seedHub } from "./seed-hub.ts";

const AT_MOST_MS = 5_400_000;
const CLIENTS = 16;
const WRITERS = 4;
/** Time without a backup, before it and after it. About as long as a backup takes. */
const BASELINE_MS = 45_000;
const MEGABYTE = 1024 * 1024;
/** The longest time that a backup may add to a write of an embedded hub. */
const LATE_MS = 250;

/** Writes of a hub before, during and after a backup. */
interface Measured {
  before: Period;
  during: Period;
  after: Period;
  seconds: number;
}

/**
 * Runs `pnpm bench backup [megabytes]`. Fills an embedded hub, backs it up under load, restores
 * the backup into PostgreSQL, backs up that hub under load, and restores it into an embedded
 * database. Each restore compares all rows. Resolves to true if no call failed, and if the slowest
 * write during the embedded hub's backup took at most 250 ms longer than the slowest without one.
 */
export const run = ([megabytes = "300"]: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase, onEnd) => {
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-bench-"));
    onEnd(() => rm(place, { recursive: true, force: true }));
    const providerPort = await freePort();
    const provider = fileURLToPath(new URL("../chat/provider-process.ts", import.meta.url));
    startPinned(1, provider, [String(providerPort)], { ipc: true });
    const start = (databaseUrl: string | null, settings: Record<string, string>) =>
      startChatHub("hub", { databaseUrl, providerPort, settings }, onEnd);
    const dataDir = path.join(place, "data");

    // Flushes only slow the filling down.
    const filling = await start(null, { DATA_DIR: dataDir, DATA_SYNC: "off" });
    const clients = await filling.clients(CLIENTS);
    const [first] = clients;
    if (!first) throw new Error("The benchmark needs a client.");
    const cookie = await logIn(urlOf(filling));
    await timed("filled the embedded hub", () =>
      seedHub(clients, Number(megabytes) * MEGABYTE, (call) => send(urlOf(filling), call)),
    );
    await stop(filling);

    const rows: string[][] = [];
    const reached: boolean[] = [];
    const databaseUrl = await newDatabase();
    const restoredDir = path.join(place, "restored");
    for (const [name, source, target] of [
      ["PGlite", { dataDir, databaseUrl: null }, { dataDir: place, databaseUrl }],
      [
        "PostgreSQL",
        { dataDir: place, databaseUrl },
        { dataDir: restoredDir, databaseUrl: undefined },
      ],
    ] as const) {
      const hub = await start(source.databaseUrl, { DATA_DIR: source.dataDir });
      const file = path.join(place, `${name}.hub`);
      const measured = await measureBackup(urlOf(hub), clients.slice(0, WRITERS), file);
      await stop(hub);
      const restored = await timed(`restored the backup of ${name}`, () =>
        restoreBackup({
          file,
          ...target,
          masterKeys: [{ id: "bench", key: Buffer.alloc(32, 7) }],
          replace: false,
          loseSecrets: false,
        }),
      );
      const again = await start(target.databaseUrl ?? null, { DATA_DIR: target.dataDir });
      await assertSameAccount(urlOf(again), cookie, first);
      await stop(again);
      reached.push(isReached(measured, source.databaseUrl === null));
      rows.push([
        name,
        `${Math.round((await stat(file)).size / MEGABYTE)} MB`,
        `${measured.seconds.toFixed(1)} s`,
        ...[measured.before, measured.during, measured.after].map(describe),
        `${restored.rows} rows, equal`,
      ]);
    }
    const latencies = (when: string) => `${when}: p50/p99/max ms`;
    printTable([
      [
        "hub",
        "archive",
        "backup",
        ...["before", "during", "after"].map(latencies),
        "in the other database",
      ],
      ...rows,
    ]);
    console.log("The session, the API key and the room of an account work in both restored hubs.");
    return reached.every(Boolean);
  });

const urlOf = ({ port }: ChatHub) => `http://127.0.0.1:${port}`;

/** Waits until the hub has closed its database. */
async function stop({ process: hub }: ChatHub): Promise<void> {
  const exited = once(hub, "exit");
  hub.kill("SIGTERM");
  await exited;
}

/** Runs a step, and prints how long it took. */
async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  console.log(`${((performance.now() - started) / 1_000).toFixed(0)} s: ${step}`);
  return result;
}

/** Backs up a hub under load into a file. */
async function measureBackup(url: string, writers: ChatClient[], file: string): Promise<Measured> {
  const load = startLoad(url, writers);
  await sleep(BASELINE_MS);
  const before = load.endPeriod();
  const started = performance.now();
  await downloadBackup(url, file);
  const seconds = (performance.now() - started) / 1_000;
  const during = load.endPeriod();
  await sleep(BASELINE_MS);
  const after = load.endPeriod();
  await load.stop();
  return { before, during, after, seconds };
}

function isReached({ before, during, after }: Measured, isEmbedded: boolean): boolean {
  const late = during.max - Math.max(before.max, after.max);
  return during.failures === 0 && (!isEmbedded || late <= LATE_MS);
}

const describe = ({ p50, p99, max, writes, failures }: Period) =>
  `${p50.toFixed(0)} / ${p99.toFixed(0)} / ${max.toFixed(0)}, ${failures} of ${writes} failed`;

async function downloadBackup(url: string, file: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await fetch(`${url}/api/admin/backup`, { headers });
  if (!response.ok || !response.body) throw new Error(`The backup failed: ${response.status}`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
}
