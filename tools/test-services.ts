/**
 * Locates PostgreSQL, PgBouncer, Redis, HAProxy, strace, patch, promtool and a browser once per run,
 * and prints the missing ones. Tests read the result, for example `describe.skipIf(!inject("services").redis)(…)`.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, globSync, mkdtempSync, rmdirSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    services: {
      /** URL of a PostgreSQL database. The tests create their own databases on its server. */
      postgres: string | undefined;
      /** URL of a pooler in transaction mode, through which hubs open these databases. */
      pooler: string | undefined;
      /** URL of a Redis server. */
      redis: string | undefined;
      /** Path of `redis-server`, for tests that kill and restart a server of their own. */
      redisServer: string | undefined;
      /** Path of HAProxy. */
      haproxy: string | undefined;
      /** Path of strace, if this system lets it trace. */
      strace: string | undefined;
      /** Path of `patch`, which applies the differences of two versions. */
      patch: string | undefined;
      /** Path of PgBouncer. */
      pgbouncer: string | undefined;
      /** Path of promtool, which tests the alerts. */
      promtool: string | undefined;
      /**
       * Directory of PostgreSQL's own programs, such as `initdb`, for tests that restart a server of
       * their own.
       */
      postgresPrograms: string | undefined;
      /** The command before `mount`, such as sudo; undefined where this user may not mount. */
      asRoot: string[] | undefined;
      /** Path of a Chromium that playwright-core can start. */
      chromium: string | undefined;
    };
  }
}

const CONNECT_MS = 5_000;
/** Debian installs PostgreSQL's own programs outside PATH. */
const DEBIAN_POSTGRES = "/usr/lib/postgresql/*/bin/initdb";
/** The headless shell takes less processor time than the full browser. */
const DEBIAN_CHROMIUM = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/**
 * Rejects if the service that a variable names does not accept connections. Otherwise its tests
 * would be skipped.
 */
async function assertListening(variable: string, address: string, standardPort: number) {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) || standardPort });
  socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error("no answer")));
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", (cause) =>
      reject(
        new Error(`${variable} names ${hostname}:${socket.remotePort ?? port}: ${cause.message}`),
      ),
    );
  }).finally(() => socket.destroy());
}

/** Searches PATH and /usr/sbin for a program. Debian adds /usr/sbin to PATH only for root. */
const find = (program: string) =>
  `${process.env.PATH ?? ""}:/usr/sbin`
    .split(path.delimiter)
    .map((directory) => path.join(directory, program))
    .find((file) => existsSync(file));

/** Mounts a small file system on an empty directory and removes it again. */
function mayMount(asRoot: string[]): boolean {
  const directory = mkdtempSync(path.join(tmpdir(), "soul-hub-mount-"));
  const run = (...args: string[]) => {
    const [program = "", ...rest] = [...asRoot, ...args];
    return spawnSync(program, rest).status === 0;
  };
  const isMounted = run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory);
  if (isMounted) run("umount", directory);
  rmdirSync(directory);
  return isMounted;
}

function notTested(name: string, remedy: string) {
  console.log(`${name}: not tested, ${remedy}`);
}

export async function setup(project: TestProject) {
  // An empty variable counts as unset, except CHROMIUM_PATH: empty means no browser.
  const postgres = process.env.TEST_DATABASE_URL || undefined;
  const pooler = process.env.TEST_DATABASE_POOLER_URL || undefined;
  const redis = process.env.TEST_REDIS_URL || undefined;
  const named = process.env.CHROMIUM_PATH;
  const chromium = named ?? DEBIAN_CHROMIUM.find(existsSync);

  if (postgres) await assertListening("TEST_DATABASE_URL", postgres, 5432);
  else notTested("PostgreSQL", "set TEST_DATABASE_URL");
  if (pooler) await assertListening("TEST_DATABASE_POOLER_URL", pooler, 6432);
  if (redis) await assertListening("TEST_REDIS_URL", redis, 6379);
  else notTested("Redis", "set TEST_REDIS_URL");
  const redisServer = redis && find("redis-server");
  if (redis && !redisServer) notTested("Redis outages", "install redis-server");
  const haproxy = find("haproxy");
  if (!haproxy) notTested("Two servers behind HAProxy", "install haproxy");
  const strace = find("strace");
  const canTrace =
    strace && spawnSync(strace, ["-o", "/dev/null", process.execPath, "-v"]).status === 0;
  if (!canTrace) notTested("Power cuts", "install strace, and allow it to trace");
  const patch = find("patch");
  if (!patch) notTested("Differences applied by patch", "install patch");
  const pgbouncer = find("pgbouncer");
  if (postgres && !pgbouncer) notTested("PostgreSQL behind a pooler", "install pgbouncer");
  const promtool = find("promtool");
  if (!promtool) notTested("Alerts", "install prometheus, which contains promtool");
  const postgresPrograms = globSync(DEBIAN_POSTGRES).sort().at(-1);
  if (postgres && !postgresPrograms) notTested("Restarts of PostgreSQL", "install postgresql");
  const asRoot = [[], ["sudo", "-n"]].find(mayMount);
  if (!asRoot) notTested("A full disk", "run as root, or allow sudo without a password");
  if (chromium) accessSync(chromium, constants.X_OK);
  else notTested("Browser", "set CHROMIUM_PATH");

  project.provide("services", {
    postgres,
    pooler,
    redis,
    redisServer,
    haproxy,
    strace: canTrace ? strace : undefined,
    patch,
    pgbouncer,
    promtool,
    postgresPrograms: postgresPrograms && path.dirname(postgresPrograms),
    asRoot,
    chromium: chromium || undefined,
  });
}
