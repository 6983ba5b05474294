import path from "node:path";
import {
  connectDatabase,
  connectRedis,
  createApp,
  createHub,
  createModels,
  createNearChain,
  createOwnModels,
  publishStarterSouls,
} from "@soul-hub/api";
import { type Logger, pino } from "pino";
import { apiDocs } from "./api-docs.ts";
import { lockDataDirectory, readOrMakeSecrets } from "./data-directory.ts";
import { blame, type Environment } from "./env.ts";
import { readBuiltPages } from "./pages/built-pages.ts";
import { otherPageMethods } from "./pages/other-page-methods.ts";
import { webFiles } from "./pages/web-files.ts";

interface RunningServer {
  /** For whoever started it: where to go, and what is not set up. */
  greeting: string;
  /** Refuses new calls, lets running ones end, closes. At most STOP_MS. */
  stop(): Promise<void>;
}

/** A hub drains for 6 s at most; then there is time to answer, and to close the database. */
const CUT_OFF_MS = 8_500;
const STOP_MS = 9_800;

/** Lines are gathered and written by the block: a write for each took a tenth of a read's time. */
const LOG_BLOCK_BYTES = 4_096;
const LOG_FLUSH_MS = 100;

function createLog(level: string) {
  const lines = pino.destination({
    sync: true,
    minLength: LOG_BLOCK_BYTES,
    periodicFlush: LOG_FLUSH_MS,
  });
  process.on("exit", () => lines.flushSync());
  return pino({ level }, lines);
}

/** The connection that carries the rooms between servers. */
function joinServers(url: string, log: Logger) {
  const connecting = connectRedis({
    url,
    onDown: (err) =>
      log.error({ err }, "Redis is out of reach: rooms do without the other servers"),
    onUp: () => log.info("Redis is back"),
    onRefused: (err) => log.error({ err }, "Redis refuses what it is asked"),
  });
  return blame({ REDIS_URL: new URL(url).host }, connecting);
}

/** environment → database → hub → app → listen. */
export async function startServer(env: Environment, version: string): Promise<RunningServer> {
  const log = createLog(env.LOG_LEVEL);
  // Before anything is opened: a bad model setting must not leave a lock behind.
  const models = createModels(env.models);
  const chain =
    env.NEAR_RPC_URLS.length > 0 ? createNearChain({ urls: env.NEAR_RPC_URLS, log }) : null;
  const redis = env.REDIS_URL ? await joinServers(env.REDIS_URL, log) : undefined;
  const embedded = env.DATABASE_URL ? null : await lockDataDirectory(env.DATA_DIR);
  const hasSecrets = env.MASTER_KEYS && env.ADMIN_TOKEN;
  const secrets = embedded && !hasSecrets ? await readOrMakeSecrets(embedded.directory) : null;
  const connecting = connectDatabase({
    url: env.DATABASE_URL,
    directory: embedded ? path.join(embedded.directory, "database") : undefined,
    log: (message) => log.debug(message),
  });
  const database = await blame(
    env.DATABASE_URL
      ? { DATABASE_URL: new URL(env.DATABASE_URL).host }
      : { DATA_DIR: env.DATA_DIR },
    connecting,
  );
  const hub = createHub({
    config: {
      version,
      baseUrl: env.BASE_URL ?? `http://localhost:${env.PORT}`,
      adminToken: env.ADMIN_TOKEN ?? secrets?.adminToken ?? null,
      tiers: env.tiers,
      modelCallsAtOnce: env.MODEL_CALLS_AT_ONCE,
      rateLimits: env.RATE_LIMITS,
    },
    database,
    masterKeys: env.MASTER_KEYS ?? secrets?.masterKeys ?? [],
    models,
    ownModels: createOwnModels({
      allowedHosts: env.BYOK_ALLOWED_HOSTS,
      timeoutMs: env.MODEL_TIMEOUT_MS,
    }),
    chain,
    log,
    redis,
  });
  if (embedded && env.STARTER_SOULS) await publishStarterSouls(hub);

  const app = await createApp(hub, { trustProxy: env.TRUST_PROXY });
  const pages = readBuiltPages();
  otherPageMethods(app, pages);
  await apiDocs(app);
  if (pages) await webFiles(app, hub, pages);
  const { PORT, HOST } = env;
  const address = await blame({ PORT, HOST }, app.listen({ port: PORT, host: HOST }));
  // PORT=0 lets the system choose one.
  const { port } = new URL(address);
  if (!env.BASE_URL) hub.config.baseUrl = `http://localhost:${port}`;
  const isAnyAddress = HOST === "0.0.0.0" || HOST === "::";
  await embedded?.announce(isAnyAddress ? `http://localhost:${port}` : address);

  const greeting = [
    `Soul Hub is open at ${hub.config.baseUrl}`,
    `  database  ${embedded ? `embedded, in ${embedded.directory}` : "PostgreSQL"}`,
    ...(env.REDIS_URL ? [`  rooms     shared over Redis, at ${new URL(env.REDIS_URL).host}`] : []),
    `  model     ${models.routes.text === "offline" ? "none: replies only quote the soul. Set TEXT_MODEL; the README says how." : models.routes.text}`,
    `  wallets   ${chain ? `checked on NEAR, at ${env.NEAR_RPC_URLS.map((url) => new URL(url).host).join(", ")}` : "not checked on the chain: a bound wallet is pinned to its key, and NFT gates stay shut. Set NEAR_RPC_URLS."}`,
    ...(pages ? [] : ["  web page  not built: run `pnpm --filter @soul-hub/web build`"]),
  ].join("\n");

  return {
    greeting,
    async stop() {
      // Whoever still holds a request open is cut off, and the database is closed all the same.
      setTimeout(() => app.server.closeAllConnections(), CUT_OFF_MS).unref();
      setTimeout(() => process.exit(1), STOP_MS).unref();
      await app.close();
      await hub.close();
      await embedded?.release();
    },
  };
}
