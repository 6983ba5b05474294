import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanRun } from "../clean-run.ts";
import { ADMIN_TOKEN, startHubWith } from "../rest/contenders.ts";
import { type Connection, openConnection, prepare } from "../rest/load/http-connection.ts";
import { printTable } from "../rest/report.ts";

const AT_MOST_MS = 7_200_000;
const SOULS = 1_000;
const WRITERS = 16;
/** One of so many writes is an edit, which stores a version for good. The others are likes. */
const EDIT_EVERY = 200;
const READ_PAUSE_MS = 5;
const MEGABYTE = 1024 * 1024;
/** The data directory's size after the writes must stay below this many times its size before. */
const GROWTH = 2;
const P99_MS = 250;

/**
 * Runs `pnpm bench upkeep [count]`: 16 writers like and edit 1,000 souls of an embedded hub, while
 * two readers read. Resolves to true if the data directory stays below twice its size and the p99
 * of a read within 250 ms.
 */
export const run = ([count = "1000000"]: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (_, onEnd) => {
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-bench-"));
    onEnd(() => rm(place, { recursive: true, force: true }));
    const directory = path.join(place, "data");
    const { port } = await startHubWith({
      DATA_DIR: directory,
      STARTER_SOULS: "off",
      // Flushes take most of the time, and change neither the number of dead rows nor the sizes.
      DATA_SYNC: "off",
    });
    const url = `http://127.0.0.1:${port}`;
    const keys: string[] = [];
    for (let n = 0; n < WRITERS; n++) keys.push(await register(url, n));
    const souls = await Promise.all(keys.map((key, nth) => publish(url, key, nth)));

    const before = await sizeOf(directory);
    const latencies: number[] = [];
    const writes = { left: Number(count), failed: 0 };
    const started = performance.now();
    const writing = Promise.all(
      keys.map((key, nth) =>
        write(port, key, { own: souls[nth] ?? [], all: souls.flat() }, writes),
      ),
    );
    const isOver = { now: false };
    const [first = 0] = souls[0] ?? [];
    const reading = Promise.all(
      [`/api/soul/${first}`, "/api/souls?limit=20"].map((address) =>
        read(port, address, latencies, isOver),
      ),
    );
    await writing;
    const seconds = (performance.now() - started) / 1_000;
    isOver.now = true;
    await reading;
    const after = await sizeOf(directory);
    latencies.sort((a, b) => a - b);
    const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
    const mb = (bytes: number) => `${Math.round(bytes / MEGABYTE)} MB`;
    printTable([
      ["writes", "failed", "duration", "directory before/after", "pg_wal", "reads", "p99", "max"],
      [
        count,
        String(writes.failed),
        `${seconds.toFixed(0)} s`,
        `${mb(before.all)} / ${mb(after.all)}`,
        `${mb(before.log)} / ${mb(after.log)}`,
        String(latencies.length),
        `${p99.toFixed(0)} ms`,
        `${latencies.at(-1)?.toFixed(0)} ms`,
      ],
    ]);
    console.log(await upkeepMetrics(url));
    return writes.failed === 0 && after.all < GROWTH * before.all && p99 <= P99_MS;
  });

async function post(url: string, address: string, apiKey: string | null, body: object) {
  const response = await fetch(url + address, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
  return (await response.json()) as { id: number; api_key: string };
}

const register = async (url: string, nth: number): Promise<string> => {
  const account = { username: `writer-${nth}`, password: "correct horse battery" };
  const { api_key } = await post(url, "/api/register", null, {
    ...account,
    email: "w@example.org",
  });
  await post(url, "/api/admin/pass", ADMIN_TOKEN, {
    username: account.username,
    tier: "vip",
    days: 1,
  });
  return api_key;
};

/** Publishes a writer's share of the souls and returns their ids. */
async function publish(url: string, apiKey: string, writer: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = writer; n < SOULS; n += WRITERS) {
    const content = `# Who you are\n\n${`Number ${n}, patient and brief. `.repeat(40)}`;
    ids.push((await post(url, "/api/souls", apiKey, { title: `Keeper ${n}`, content })).id);
  }
  return ids;
}

/** Writes one call after the other, until all writers together have made all writes. */
async function write(
  port: number,
  apiKey: string,
  souls: { own: number[]; all: number[] },
  writes: { left: number; failed: number },
): Promise<void> {
  const connection = await openConnection(port);
  for (let n = 0; writes.left-- > 0; n++) {
    const liked = souls.all[Math.floor(Math.random() * souls.all.length)];
    const isEdit = n % EDIT_EVERY === 0;
    const call = isEdit
      ? { method: "PUT" as const, path: `/api/soul/${souls.own[n % souls.own.length]}` }
      : { method: "POST" as const, path: "/api/like" };
    const body = JSON.stringify(isEdit ? { description: `Edit ${n}` } : { soul_id: liked });
    const question = { path: call.path, answerBytes: null };
    const isRight = await ask(connection, {
      ...question,
      write: { method: call.method, apiKey, body },
    });
    if (!isRight) writes.failed++;
  }
  connection.close();
}

const ask = (connection: Connection, question: Parameters<typeof prepare>[0]) =>
  connection.ask(prepare(question));

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

async function sizeOf(directory: string): Promise<{ all: number; log: number }> {
  const sizes = { all: 0, log: 0 };
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size } = await stat(path.join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }));
    sizes.all += size;
    if (entry.parentPath.includes("pg_wal")) sizes.log += size;
  }
  return sizes;
}

/** The hub's own measure of its upkeep. */
async function upkeepMetrics(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return (text.match(/^soulhub_upkeep_seconds_.*$/gm) ?? []).join("\n");
}
