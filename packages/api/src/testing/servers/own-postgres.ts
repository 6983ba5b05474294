import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { freePort } from "./free-port.ts";

/** A PostgreSQL server for one test, which the test can stop and start again. */
export interface OwnPostgres extends AsyncDisposable {
  /** URL of its database `postgres`. */
  url: string;
  start(): Promise<void>;
  /** Stops the server as an operator does: its connections end, its data stays. */
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root. Debian's package adds the user `postgres`. */
function userIds(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(spawnSync("id", [flag, "postgres"]).stdout);
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Creates a PostgreSQL server with no data of other tests. It writes nothing through to the disk. */
export async function startPostgres(): Promise<OwnPostgres> {
  const program = (name: string) => path.join(inject("services").postgresPrograms ?? "", name);
  const ids = userIds();
  const port = await freePort();
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-postgres-"));
  if (ids.uid !== undefined) spawnSync("chown", ["postgres", directory]);
  const data = path.join(directory, "data");
  const options = ["--auth", "trust", "--username", "postgres", "--no-sync"];
  const made = spawnSync(program("initdb"), ["--pgdata", data, ...options], ids);
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);

  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  const start = async () => {
    const settings = ["-h", "127.0.0.1", "-p", String(port), "-k", "", "-F"];
    child = spawn(program("postgres"), ["-D", data, ...settings], { ...ids, stdio: "ignore" });
    await waitForPostgres(url);
  };
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    // SIGINT is PostgreSQL's fast shutdown.
    child.kill("SIGINT");
    await exit;
  };
  await start();
  return {
    url,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(directory, { recursive: true });
    },
  };
}

async function waitForPostgres(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return;
    } catch {
      await sleep(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
