/**
 * Decides once per run where PostgreSQL, Redis and a browser are to be had, and says what is
 * therefore not tested. A test reads it: `describe.skipIf(!inject("services").redis)(…)`.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    services: {
      /** Address of a PostgreSQL database that tests may fill and empty. */
      postgres: string | undefined;
      /** Address of a Redis server. */
      redis: string | undefined;
      /** Path of a redis-server, for tests that kill and restart one of their own. */
      redisServer: string | undefined;
      /** Path of HAProxy. */
      haproxy: string | undefined;
      /** Path of a Chromium that playwright-core can start. */
      chromium: string | undefined;
    };
  }
}

const CONNECT_MS = 5_000;
const DEBIAN_CHROMIUM = "/usr/bin/chromium";

/** Rejects where nobody listens: a service that is named but absent must not pass for tested. */
async function mustListen(variable: string, address: string, standardPort: number) {
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

/** Where a program is, if it is on the path; some of Debian's stand where only root looks. */
const find = (program: string) =>
  `${process.env.PATH ?? ""}:/usr/sbin`
    .split(path.delimiter)
    .map((directory) => path.join(directory, program))
    .find((file) => existsSync(file));

function notTested(name: string, remedy: string) {
  console.log(`${name}: not tested, ${remedy}`);
}

export async function setup(project: TestProject) {
  // Empty counts as unset: `CHROMIUM_PATH= pnpm test` runs without a browser.
  const postgres = process.env.TEST_DATABASE_URL || undefined;
  const redis = process.env.TEST_REDIS_URL || undefined;
  const named = process.env.CHROMIUM_PATH;
  const chromium = named ?? (existsSync(DEBIAN_CHROMIUM) ? DEBIAN_CHROMIUM : undefined);

  if (postgres) await mustListen("TEST_DATABASE_URL", postgres, 5432);
  else notTested("PostgreSQL", "set TEST_DATABASE_URL");
  if (redis) await mustListen("TEST_REDIS_URL", redis, 6379);
  else notTested("Redis", "set TEST_REDIS_URL");
  const redisServer = redis && find("redis-server");
  if (redis && !redisServer) notTested("Redis that is killed", "install redis-server");
  const haproxy = find("haproxy");
  if (!haproxy) notTested("Two servers behind HAProxy", "install haproxy");
  if (chromium) accessSync(chromium, constants.X_OK);
  else notTested("Browser", "set CHROMIUM_PATH");

  project.provide("services", {
    postgres,
    redis,
    redisServer,
    haproxy,
    chromium: chromium || undefined,
  });
}
