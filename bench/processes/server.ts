import { once } from "node:events";
import { fileURLToPath } from "node:url";
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
  /** Waits until the server has stopped and has closed its database. */
  stop(): Promise<void>;
}

/** The admin token of every hub that a benchmark starts. */
export const ADMIN_TOKEN = "admin-token-of-the-bench";
export const MASTER_KEY = Buffer.alloc(32, 7);
const MAIN = fileURLToPath(new URL("../../apps/server/src/main.ts", import.meta.url));

interface HubOptions {
  name?: string;
  /** The server's main.ts, such as that of a former release. */
  main?: string | undefined;
}

/**
 * Starts `apps/server` with the settings common to all benchmarks.
 * @param settings further environment variables
 */
export async function startHub(
  stage: Stage,
  settings: Record<string, string>,
  { name = HUB, main = MAIN }: HubOptions = {},
): Promise<Server> {
  const port = await freePort();
  const env = {
    // A scheduled backup would disturb the measurement.
    BACKUP_EVERY_HOURS: "0",
    TEXT_MODEL: "offline",
    ...settings,
    PORT: String(port),
    MASTER_KEYS: `bench:${MASTER_KEY.toString("base64")}`,
    ADMIN_TOKEN,
    // The rate limits are off, because all connections come from one address.
    RATE_LIMITS: "off",
  };
  return startServer(stage, name, main, port, [], env);
}

/** Starts a server, and waits until `/readyz` returns any response but 503. */
export const startServer = (
  stage: Stage,
  name: string,
  script: URL | string,
  port: number,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Server> =>
  blame(name, async () => {
    const started = startProcess(stage, script, {
      core: SERVER_CORE,
      args,
      env,
      flags: ["--import", END_WITH_PARENT],
    });
    const url = `http://127.0.0.1:${port}`;
    const stop = async () => {
      const exited = once(started.process, "exit");
      started.process.kill("SIGTERM");
      await exited;
    };
    for (const end = Date.now() + START_MS; Date.now() < end; ) {
      const answer = await fetch(`${url}/readyz`).catch(() => null);
      await answer?.arrayBuffer();
      if (answer && answer.status !== 503) return { ...started, name, port, url, stop };
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), started.ended]);
    }
    throw new Error("the server does not answer");
  });
