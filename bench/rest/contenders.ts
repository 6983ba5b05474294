import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "@soul-hub/api/testing";
import { startPinned } from "./pinned-process.ts";

/** Long enough for a new embedded database on a busy machine. */
const START_MS = 120_000;
/**
 * Database connections per server, by default those of the hub. More did not make another server
 * faster.
 */
const POOL_SIZE = "10";
const SERVER_CORE = 0;

export interface Contender {
  name: string;
  port: number;
  process: ChildProcess;
}

/** The contender that all ratios refer to. */
export const REFERENCE = "node:http + pg";
export const HUB = "Soul Hub";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The admin token of every hub that a benchmark starts. */
export const ADMIN_TOKEN = "admin-token-of-the-bench";

/** Starts the hub on a database, which the hub migrates. */
export const startHub = (databaseUrl: string): Promise<Contender> =>
  startHubWith({ DATABASE_URL: databaseUrl });

/**
 * Starts `apps/server` with the settings common to all benchmarks.
 * @param settings further environment variables
 * @param main the server's main.ts, such as that of a former release
 */
export async function startHubWith(
  settings: Record<string, string>,
  main = file("../../apps/server/src/main.ts"),
): Promise<Contender> {
  const port = await freePort();
  const env = {
    // A scheduled backup would disturb the measurement.
    BACKUP_EVERY_HOURS: "0",
    TEXT_MODEL: "offline",
    ...settings,
    PORT: String(port),
    MASTER_KEYS: `bench:${Buffer.alloc(32, 7).toString("base64")}`,
    ADMIN_TOKEN,
    // The rate limits are off, because all connections come from one address and would exceed its
    // limit.
    RATE_LIMITS: "off",
  };
  const hub = startPinned(SERVER_CORE, main, [], { env });
  return listening({ name: HUB, port, process: hub });
}

const peers = {
  [REFERENCE]: "./peers/node-http.peer.ts",
  "trpc-to-openapi": "./peers/trpc-to-openapi.peer.ts",
  "Fastify + SQL": "./peers/fastify.peer.ts",
};

export const startPeers = (databaseUrl: string): Promise<Contender[]> =>
  Promise.all(
    Object.entries(peers).map(async ([name, script]) => {
      const port = await freePort();
      const args = [String(port), databaseUrl, POOL_SIZE];
      return listening({ name, port, process: startPinned(SERVER_CORE, file(script), args) });
    }),
  );

/** Waits until `/readyz` returns any response but 503, which the hub gives while it starts. */
async function listening(contender: Contender): Promise<Contender> {
  const url = `http://127.0.0.1:${contender.port}/readyz`;
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    if (contender.process.exitCode !== null) throw new Error(`${contender.name} did not start.`);
    const answer = await fetch(url).catch(() => null);
    await answer?.arrayBuffer();
    if (answer && answer.status !== 503) return contender;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${contender.name} does not answer.`);
}
