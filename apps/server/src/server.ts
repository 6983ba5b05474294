import path from "node:path";
import {
  asksToVerify,
  backUpBeforeMigration,
  connectDatabase,
  connectRedis,
  createApp,
  createHub,
  createMetricsApp,
  createModels,
  createNearChain,
  createOwnModels,
  createSmtpMailer,
  type Hub,
  publishStarterSouls,
  traceFields,
  tryDirectConnection,
  withOllama,
} from "@soul-hub/api";
import {
  assertNotMoved,
  blame,
  type LockedDirectory,
  lockDataDirectory,
  readOrMakeSecrets,
  secretsFile,
} from "@soul-hub/api/operator";
import { type Logger, pino } from "pino";
import type { Environment } from "./env.ts";
import { LogDestination } from "./log-destination.ts";
import { connectionsByOpenFiles } from "./open-files.ts";
import { serverFaults } from "./setting-faults.ts";
import { serveSite } from "./site.ts";
import { answerWhileStarting } from "./starting-server.ts";

interface RunningServer {
  /** The text printed for the operator: the address, and the features that are not configured. */
  greeting: string;
  /** Refuses new calls, awaits running ones, and closes the server. Takes at most STOP_MS. */
  stop(): Promise<void>;
}

/**
 * Milliseconds after the stop signal: at CUT_OFF_MS open requests are cut off, and at STOP_MS the
 * process exits. The hub drains for at most 6 s. The rest is for running responses and for closing
 * the database.
 */
const CUT_OFF_MS = 8_500;
const STOP_MS = 9_800;

/** The file descriptor of the standard output. */
const STDOUT = 1;

function createLog(env: Environment, opened: AsyncDisposableStack) {
  const lines = new LogDestination(STDOUT);
  const writeRest = () => lines.writeNow();
  process.on("exit", writeRest);
  opened.defer(async () => {
    await lines.close();
    process.off("exit", writeRest);
  });
  const options = { level: env.LOG_LEVEL, ...(env.isTraced && { mixin: traceFields }) };
  return { log: pino(options, lines), lines };
}

/** The paths of an embedded hub's files. */
const embeddedFiles = ({ directory }: LockedDirectory, env: Environment, hasSecrets: boolean) => ({
  database: path.join(directory, "database"),
  backups: env.BACKUP_DIR ?? path.join(directory, "backups"),
  // A hub whose keys are in the environment may have an old file of other keys.
  secretsFile: hasSecrets ? secretsFile(directory) : null,
});

/** Connects to the Redis that carries room events between servers. */
function joinServers(url: string, log: Logger) {
  const connecting = connectRedis({
    url,
    onDown: (err) =>
      log.error({ err }, "Redis is unreachable: rooms lack the events of other servers"),
    onUp: () => log.info("Redis is reachable again"),
    onRefused: (err) => log.error({ err }, "Redis refuses a command"),
  });
  return blame({ REDIS_URL: new URL(url).host }, connecting, serverFaults);
}

/** Serves the metrics on a port of their own. Returns its address; undefined without METRICS_PORT. */
async function listenForMetrics(
  hub: Hub,
  { METRICS_PORT, METRICS_HOST }: Environment,
  opened: AsyncDisposableStack,
): Promise<string | undefined> {
  if (METRICS_PORT === undefined) return undefined;
  const metrics = createMetricsApp(hub);
  opened.defer(() => metrics.close());
  const listening = metrics.listen({ port: METRICS_PORT, host: METRICS_HOST });
  return blame({ METRICS_PORT, METRICS_HOST }, listening, serverFaults);
}

/**
 * Opens the database, creates hub and app, and listens.
 * @throws EnvironmentError; everything that was opened is closed first
 */
export async function startServer(env: Environment, version: string): Promise<RunningServer> {
  await using opened = new AsyncDisposableStack();
  const { log, lines } = createLog(env, opened);
  // Without tracing, nothing of OpenTelemetry is loaded (0070).
  const tracing = env.isTraced
    ? (await import("./observability/otel-tracer.ts")).startTracing(env, version, log)
    : null;
  opened.defer(() => tracing?.close());
  // `createModels` may throw, so it runs before the database or Redis is opened.
  const { config: modelsConfig, ollama } = await withOllama(env.models);
  const models = createModels(modelsConfig);
  const chain =
    env.NEAR_RPC_URLS.length > 0 ? createNearChain({ urls: env.NEAR_RPC_URLS, log }) : null;
  const embedded = opened.use(env.DATABASE_URL ? null : await lockDataDirectory(env.DATA_DIR));
  if (embedded) await assertNotMoved(embedded.directory);
  const connections = opened.use(new AsyncDisposableStack());
  const redis = env.REDIS_URL ? await joinServers(env.REDIS_URL, log) : undefined;
  connections.defer(() => redis?.close());
  const hasSecrets = env.MASTER_KEYS && env.ADMIN_TOKEN;
  const secrets =
    embedded && !hasSecrets
      ? await blame({ DATA_DIR: env.DATA_DIR }, readOrMakeSecrets(embedded.directory))
      : null;
  const directUrl = env.DATABASE_DIRECT_URL;
  const direct = directUrl ? { DATABASE_DIRECT_URL: new URL(directUrl).host } : {};
  if (directUrl) await blame(direct, tryDirectConnection(directUrl));
  const masterKeys = env.MASTER_KEYS ?? secrets?.masterKeys ?? [];
  const files = embedded ? embeddedFiles(embedded, env, secrets !== null) : null;
  const { PORT, HOST } = env;
  // With PORT=0, clients cannot know the port yet.
  const starting = PORT
    ? opened.use(
        await blame(
          { PORT, HOST },
          answerWhileStarting({ port: PORT, host: HOST }, version),
          serverFaults,
        ),
      )
    : undefined;
  const connecting = connectDatabase({
    url: env.DATABASE_URL,
    pooler: env.DATABASE_POOLER,
    directUrl,
    directory: files?.database,
    sync: env.DATA_SYNC,
    beforeMigration: files
      ? async () => {
          const file = await backUpBeforeMigration({ ...files, version, masterKeys });
          log.info({ file }, "wrote a backup before the migration");
        }
      : undefined,
    log: (message) => log.info(message),
  });
  const database = await blame(
    env.DATABASE_URL
      ? { DATABASE_URL: new URL(env.DATABASE_URL).host, ...direct }
      : { DATA_DIR: env.DATA_DIR },
    connecting,
  );
  connections.defer(() => database.close());
  const hub = createHub({
    config: {
      version,
      baseUrl: env.BASE_URL ?? `http://localhost:${env.PORT}`,
      adminToken: env.ADMIN_TOKEN ?? secrets?.adminToken ?? null,
      tiers: env.tiers,
      modelCallsAtOnce: env.MODEL_CALLS_AT_ONCE,
      registration: env.REGISTRATION,
      guests: env.GUESTS,
      emailVerification: env.EMAIL_VERIFICATION,
      about: {
        contact: env.CONTACT ?? null,
        termsUrl: env.TERMS_URL ?? null,
        privacyUrl: env.PRIVACY_URL ?? null,
      },
      rateLimits: env.RATE_LIMITS,
      cdnCache: env.CDN_CACHE,
      slowQueryMs: env.SLOW_QUERY_MS,
      mcpAllowedOrigins: env.MCP_ALLOWED_ORIGINS,
      wallets: env.WALLETS,
      diskReserveBytes: env.DISK_RESERVE_MB * 2 ** 20,
      autoLimit: env.AUTO_LIMIT,
      storageBytesPerAccount: env.STORAGE_MB_PER_ACCOUNT * 2 ** 20,
      retainRoomsDays: env.RETAIN_ROOMS,
      retainGuestRoomsDays: env.RETAIN_GUEST_ROOMS,
      deletionGraceDays: env.DELETION_GRACE_DAYS,
      retainUsageDays: env.RETAIN_USAGE,
      retainReportsDays: env.RETAIN_REPORTS,
      retainAuditDays: env.RETAIN_AUDIT,
    },
    database,
    masterKeys,
    models,
    ownModels: createOwnModels({
      allowedHosts: env.BYOK_ALLOWED_HOSTS,
      timeoutMs: env.MODEL_TIMEOUT_MS,
    }),
    chain,
    mail:
      env.SMTP_URL && env.MAIL_FROM
        ? await createSmtpMailer({ url: env.SMTP_URL, from: env.MAIL_FROM })
        : null,
    log,
    tracer: tracing?.tracer ?? null,
    redis,
    backup: {
      source: files
        ? { directory: files.database }
        : { databaseUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL ?? "" },
      secretsFile: files?.secretsFile ?? null,
    },
    backupSchedule: files
      ? { directory: files.backups, everyHours: env.BACKUP_EVERY_HOURS, keep: env.BACKUP_KEEP }
      : undefined,
  });
  hub.metrics.logLines.dropped = () => lines.dropped;
  hub.metrics.spans.dropped = () => tracing?.droppedSpans() ?? 0;
  // After this line, hub.close() closes the connections to database and Redis.
  connections.move();
  opened.defer(() => hub.close());
  if (embedded && env.STARTER_SOULS) {
    await blame({ DATA_DIR: env.DATA_DIR }, publishStarterSouls(hub));
  }

  const app = await createApp(hub, {
    trustProxy: env.TRUST_PROXY,
    maxConnections: Math.min(env.MAX_CONNECTIONS, connectionsByOpenFiles()),
    servesMetrics: env.METRICS_PORT === undefined,
  });
  opened.defer(() => app.close());
  const hasPages = await serveSite(app, hub, env.SECURITY_CONTACT ?? null);
  const metricsAddress = await listenForMetrics(hub, env, opened);
  await starting?.[Symbol.asyncDispose]();
  const listening = app.listen({ port: PORT, host: HOST });
  const address = await blame({ PORT, HOST }, listening, serverFaults);
  // With PORT=0 the operating system chooses the port, so it is read from the bound address.
  const { port } = new URL(address);
  if (!env.BASE_URL) hub.config.baseUrl = `http://localhost:${port}`;
  const isAnyAddress = HOST === "0.0.0.0" || HOST === "::";
  await embedded?.announce(isAnyAddress ? `http://localhost:${port}` : address);

  const running = opened.move();
  const greeting = [
    `Soul Hub is open at ${hub.config.baseUrl}`,
    `  database  ${embedded ? `embedded, in ${embedded.directory}` : "PostgreSQL"}`,
    ...(embedded && !env.DATA_SYNC
      ? ["  power     DATA_SYNC=off: a power cut may lose answered writes or the whole database"]
      : []),
    ...(env.REDIS_URL ? [`  rooms     shared over Redis, at ${new URL(env.REDIS_URL).host}`] : []),
    `  model     ${models.routes.text === "offline" ? "none: replies only quote the soul. Set TEXT_MODEL; the README says how." : models.routes.text}${ollama ? `, found in Ollama at ${ollama}. TEXT_MODEL=offline turns this off.` : ""}`,
    `  wallets   ${chain ? `checked on NEAR, at ${env.NEAR_RPC_URLS.map((url) => new URL(url).host).join(", ")}` : "not checked on the chain: a bound wallet is pinned to its key, and NFT gates stay shut. Set NEAR_RPC_URLS."}`,
    ...(env.AUTO_LIMIT > 0 && !asksToVerify(hub)
      ? [
          "  reports   AUTO_LIMIT has no effect, since it counts verified addresses. Set SMTP_URL, and EMAIL_VERIFICATION to optional or required.",
        ]
      : []),
    ...(metricsAddress ? [`  metrics   at ${metricsAddress}/metrics`] : []),
    ...(tracing
      ? [`  traces    sent to ${new URL(env.OTEL_EXPORTER_OTLP_ENDPOINT ?? "").host}`]
      : []),
    ...(hasPages ? [] : ["  web page  not built: run `npx -y pnpm@12 build`"]),
  ].join("\n");

  return {
    greeting,
    async stop() {
      // Requests that are still open after CUT_OFF_MS end, so that the database is closed in time.
      setTimeout(() => app.server.closeAllConnections(), CUT_OFF_MS).unref();
      setTimeout(() => process.exit(1), STOP_MS).unref();
      await running.disposeAsync();
    },
  };
}
