import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { defaultTiers } from "@soul-hub/api";
import { END_WITH_PARENT, freePort } from "@soul-hub/api/testing";
import { HUB } from "../runner/bench.ts";
import { blame } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";
import { SERVER_CORE, type StartedProcess, startProcess } from "./start-process.ts";

/** Long enough for a new embedded database on a busy machine. */
const START_MS = 240_000;

export interface Server extends StartedProcess {
  name: string;
  port: number;
  url: string;
  /**
   * Waits until the server has stopped and has closed its database.
   * @returns its exit code
   */
  stop(): Promise<number | null>;
}

/** The admin token of every hub that a benchmark starts. */
export const ADMIN_TOKEN = "admin-token-of-the-bench";
export const MASTER_KEY = Buffer.alloc(32, 7);

export const ROOT = path.resolve(import.meta.dirname, "../..");
/** The server's main.ts in a checkout. */
export const MAIN = "apps/server/src/main.ts";
/** The program that `pnpm start` and the npm package run. */
const PROGRAM = path.join(ROOT, "apps/soul-hub-server/dist/main.js");

export interface HubOptions {
  name?: string;
  port?: number | undefined;
  /** The main.ts of a former release, or the program of an npm package. By default the bundle. */
  main?: string | undefined;
}

/**
 * Starts a hub with the settings common to all benchmarks.
 * @param settings further environment variables
 */
export async function startHub(
  stage: Stage,
  settings: Record<string, string>,
  { name = HUB, port, main = PROGRAM }: HubOptions = {},
): Promise<Server> {
  const TIERS_FILE = path.join(await stage.newDirectory(), "tiers.json");
  const vip = { ...defaultTiers.vip, daily_limit: 1_000_000_000 };
  await writeFile(TIERS_FILE, JSON.stringify({ ...defaultTiers, vip }));
  return startServer(stage, name, main, port ?? (await freePort()), {
    // Passes are never used up.
    TIERS_FILE,
    // A scheduled backup would disturb the measurement.
    BACKUP_EVERY_HOURS: "0",
    TEXT_MODEL: "offline",
    STARTER_SOULS: "off",
    // The rate limits are off, because all connections come from one address.
    RATE_LIMITS: "off",
    MASTER_KEYS: `bench:${MASTER_KEY.toString("base64")}`,
    ADMIN_TOKEN,
    ...settings,
  });
}

/** Starts a server on the port, and waits until `/readyz` returns any response but 503. */
export const startServer = (
  stage: Stage,
  name: string,
  script: URL | string,
  port: number,
  env: Record<string, string>,
): Promise<Server> =>
  blame(name, async () => {
    const started = startProcess(stage, script, {
      core: SERVER_CORE,
      env: { ...env, PORT: String(port) },
      flags: ["--import", END_WITH_PARENT],
      args: String(script).endsWith("dist/main.js") ? ["start"] : [],
    });
    const url = `http://127.0.0.1:${port}`;
    const stop = async () => {
      const exited = once(started.process, "exit");
      started.process.kill("SIGTERM");
      await exited;
      return started.process.exitCode;
    };
    for (const end = Date.now() + START_MS; Date.now() < end; ) {
      const answer = await fetch(`${url}/readyz`).catch(() => null);
      await answer?.arrayBuffer();
      if (answer && answer.status !== 503) return { ...started, name, port, url, stop };
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), started.ended]);
    }
    throw new Error("the server does not answer");
  });
