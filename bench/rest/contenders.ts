import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { startPinned } from "./pinned-process.ts";

const START_MS = 30_000;
/** The hub's own default. More did not make a peer faster. */
const POOL_SIZE = "10";
const SERVER_CORE = 0;

export interface Contender {
  name: string;
  port: number;
  process: ChildProcess;
}

export const YARDSTICK = "node:http + pg";
export const HUB = "Soul Hub";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Of every hub that a bench starts. */
export const ADMIN_TOKEN = "admin-token-of-the-bench";

/** Starts the hub, as it ships; it migrates the database. */
export const startHub = (databaseUrl: string): Promise<Contender> =>
  startHubWith({ DATABASE_URL: databaseUrl });

/** @param settings its environment, beside what every hub of a bench has */
export async function startHubWith(settings: Record<string, string>): Promise<Contender> {
  const port = await freePort();
  const env = {
    ...settings,
    PORT: String(port),
    MASTER_KEYS: `bench:${Buffer.alloc(32, 7).toString("base64")}`,
    ADMIN_TOKEN,
    // All 64 connections come from one address, and no address may ask this often.
    RATE_LIMITS: "off",
  };
  const hub = startPinned(SERVER_CORE, file("../../apps/server/src/main.ts"), [], { env });
  return listening({ name: HUB, port, process: hub });
}

const peers = {
  [YARDSTICK]: "./peers/node-http.peer.ts",
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until it answers at all. */
async function listening(contender: Contender): Promise<Contender> {
  const url = `http://127.0.0.1:${contender.port}/readyz`;
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    if (contender.process.exitCode !== null) throw new Error(`${contender.name} did not start.`);
    const answer = await fetch(url).catch(() => null);
    await answer?.arrayBuffer();
    if (answer) return contender;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${contender.name} does not answer.`);
}
