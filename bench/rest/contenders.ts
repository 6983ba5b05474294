import { freePort } from "@soul-hub/api/testing";
import { type Server, startHub, startServer } from "../processes/server.ts";
import type { Stage } from "../runner/stage.ts";
import { type SeededSouls, seedSouls } from "./seed-souls.ts";

/**
 * Database connections per server, by default those of the hub. More did not make another server
 * faster.
 */
const POOL_SIZE = "10";

/** The contender that all ratios refer to. */
export const REFERENCE = "node:http + pg";

const peers = {
  [REFERENCE]: "./peers/node-http.peer.ts",
  "trpc-to-openapi": "./peers/trpc-to-openapi.peer.ts",
  "Fastify + SQL": "./peers/fastify.peer.ts",
};

export interface Contenders {
  databaseUrl: string;
  souls: SeededSouls;
  servers: Server[];
  reference: Server;
}

/** Starts the hub and its peers on one database with souls. */
export const contendersOf = (stage: Stage): Promise<Contenders> =>
  stage.share("contenders", async () => {
    const databaseUrl = await stage.newDatabase();
    const hub = await startHub(stage, { DATABASE_URL: databaseUrl });
    const souls = await seedSouls(databaseUrl, stage.size(1_000, 50));
    const servers = await Promise.all(
      Object.entries(peers).map(async ([name, script]) => {
        const port = await freePort();
        const args = [String(port), databaseUrl, POOL_SIZE];
        return startServer(stage, name, new URL(script, import.meta.url), port, args);
      }),
    );
    const [reference] = servers;
    if (!reference) throw new Error("There is no reference.");
    return { databaseUrl, souls, servers: [hub, ...servers], reference };
  });
