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
import { startChatHub } from "../chat/chat-hub.ts";
import type { ChatClient } from "../chat/load/load-protocol.ts";
import { cleanRun } from "../clean-run.ts";
import { ADMIN_TOKEN } from "../rest/contenders.ts";
import { startPinned } from "../rest/pinned-process.ts";
import { printTable } from "../rest/report.ts";
import { type Call, seedHub } from "./seed-hub.ts";

const AT_MOST_MS = 1_800_000;
const CLIENTS = 16;
const WRITERS = 4;
/** About as long as a backup takes, so that both periods hold the hub's own upkeep. */
const BASELINE_MS = 60_000;
const MEGABYTE = 1024 * 1024;
/** The longest time that a backup may add to a write of an embedded hub. */
const LATE_MS = 250;

/**
 * Runs `pnpm bench backup [megabytes]`: backs up a hub under load, restores the backup into the
 * other database, and compares every row. Resolves to true if no call failed, and if the slowest
 * write of the embedded hub during the backup took at most 250 ms longer than the slowest before.
 */
export const run = ([megabytes = "300"]: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase, onEnd) => {
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-bench-"));
    onEnd(() => rm(place, { recursive: true, force: true }));
    const providerPort = await freePort();
    const provider = fileURLToPath(new URL("../chat/provider-process.ts", import.meta.url));
    startPinned(1, provider, [String(providerPort)], { ipc: true });
    const rows: string[][] = [];
    const reached: boolean[] = [];
    for (const name of ["PGlite", "PostgreSQL"]) {
      const databaseUrl = name === "PostgreSQL" ? await newDatabase() : null;
      const hub = await startChatHub(name, { databaseUrl, providerPort }, onEnd);
      const url = `http://127.0.0.1:${hub.port}`;
      const clients = await hub.clients(CLIENTS);
      await seedHub(clients, Number(megabytes) * MEGABYTE, (call) => send(url, call));

      const load = startLoad(url, clients.slice(0, WRITERS));
      await sleep(BASELINE_MS);
      const before = load.takeLatencies();
      const file = path.join(place, `${name}.hub`);
      const started = performance.now();
      await downloadBackup(url, file);
      const seconds = (performance.now() - started) / 1_000;
      const during = load.takeLatencies();
      await load.stop();
      const exited = once(hub.process, "exit");
      hub.process.kill();
      await exited;

      const restoring = performance.now();
      const restored = await restoreBackup({
        file,
        dataDir: path.join(place, `restored-${name}`),
        databaseUrl: databaseUrl ? undefined : await newDatabase(),
        masterKeys: [{ id: "bench", key: Buffer.alloc(32, 7) }],
        replace: false,
        loseSecrets: false,
      });
      const restoreSeconds = (performance.now() - restoring) / 1_000;
      reached.push(
        during.failures === 0 && (databaseUrl !== null || during.max - before.max <= LATE_MS),
      );
      rows.push([
        name,
        `${Math.round((await stat(file)).size / MEGABYTE)} MB`,
        `${seconds.toFixed(1)} s`,
        `${before.p50.toFixed(0)} / ${before.p99.toFixed(0)} / ${before.max.toFixed(0)}`,
        `${during.p50.toFixed(0)} / ${during.p99.toFixed(0)} / ${during.max.toFixed(0)}`,
        `${before.failures} / ${during.failures}`,
        `${restored.rows} rows, ${restoreSeconds.toFixed(0)} s`,
      ]);
    }
    printTable([
      [
        "hub",
        "archive",
        "backup",
        "writes before p50/p99/max ms",
        "during",
        "failed before/during",
        "restored into the other",
      ],
      ...rows,
    ]);
    return reached.every(Boolean);
  });

async function send(url: string, { method, path: address, apiKey, body }: Call) {
  const response = await fetch(url + address, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
  return (await response.json()) as { id: number };
}

async function downloadBackup(url: string, file: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await fetch(`${url}/api/admin/backup`, { headers });
  if (!response.ok || !response.body) throw new Error(`The backup failed: ${response.status}`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
}

/** Writers that chat, like and edit, one call after the other each. */
function startLoad(url: string, clients: ChatClient[]) {
  let latencies: number[] = [];
  let failures = 0;
  let isOver = false;
  const write = async ({ apiKey, ...room }: ChatClient) => {
    for (let n = 0; !isOver; n++) {
      const calls: Omit<Call, "apiKey">[] = [
        { method: "POST", path: "/api/chat", body: { ...room, content: "Is the lamp lit?" } },
        { method: "POST", path: "/api/like", body: { soul_id: room.soul_id } },
        { method: "POST", path: "/api/souls", body: { title: `Draft ${n}`, content: "I stay." } },
      ];
      const call = calls[n % calls.length];
      if (!call) continue;
      const started = performance.now();
      await send(url, { ...call, apiKey }).catch(() => failures++);
      latencies.push(performance.now() - started);
      await sleep(10);
    }
  };
  const writers = Promise.all(clients.map(write));
  return {
    takeLatencies() {
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
      const taken = { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN, failures };
      latencies = [];
      failures = 0;
      return taken;
    },
    async stop() {
      isOver = true;
      await writers;
    },
  };
}
