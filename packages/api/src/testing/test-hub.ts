import { Writable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import { createApp } from "../app.ts";
import type { BackupScheduleOptions } from "../backup/backup-schedule.ts";
import type { BackupOptions } from "../backup/backups.ts";
import { createOwnModels, type OwnModels } from "../chat/byok/own-models.ts";
import type { ModelPort } from "../chat/models/model-port.ts";
import { createModels } from "../chat/models/models.ts";
import type { Hub, HubConfig } from "../context.ts";
import type { Database } from "../db/database.ts";
import type { EmbeddingModel } from "../embedding/embedding-model.ts";
import { createHub } from "../hub.ts";
import { createSmtpMailer } from "../mail/smtp-mailer.ts";
import { defaultTiers } from "../quota/tier-table.ts";
import type { RedisLink } from "../rooms/redis/redis-link.ts";
import { traceFields } from "../tracing/call-scope.ts";
import type { Tracer } from "../tracing/tracer.ts";
import type { MasterKey } from "../vault.ts";
import type { ChainPort } from "../wallet/chain-port.ts";
import { type Actor, createActor } from "./actor.ts";
import {
  type DatabaseKind,
  emptyDatabase,
  moveDatabaseClock,
  ruleDatabase,
} from "./test-database.ts";

export interface TestHubOptions {
  /**
   * The kind of a shared test database, by default that of {@link ruleDatabase}; or a database of the
   * test's own, which closes with the hub.
   */
  database?: DatabaseKind | Database;
  models?: ModelPort;
  /**
   * The model providers that accounts may use with their own keys. By default no provider is listed
   * and no host name resolves, so no test calls a real provider.
   */
  ownModels?: OwnModels;
  /**
   * The NEAR chain. Without a chain, a wallet accepts only the key that bound it (decisions §4).
   */
  chain?: ChainPort;
  /** The URL of the SMTP server, such as that of `startSmtpSink`. Without it nothing is mailed. */
  smtpUrl?: string;
  /** Milliseconds after which the try of a mail fails, by default those of a hub. */
  mailTryMs?: number;
  /** Finds souls by meaning. Without it the search compares words alone. */
  embeddingModel?: EmbeddingModel;
  /** The connection to Redis. Without it the hub shares its rooms with no other server. */
  redis?: RedisLink;
  config?: Partial<HubConfig>;
  masterKeys?: MasterKey[];
  /** The source of backups. Without it, the hub can't be backed up. */
  backup?: BackupOptions;
  /** The backups that the hub writes by itself. Without it, there are none. */
  backupSchedule?: BackupScheduleOptions;
  /** Receives traces. Without it nothing is traced. */
  tracer?: Tracer;
  /** True if passwords cost as much as in production. Otherwise they are cheap to hash. */
  realPasswordCost?: boolean;
  /** The proxies that the hub trusts. By default none. */
  trustProxy?: string[];
  /** Where the hub logs. By default {@link TestHub.log} keeps every line. */
  logger?: Logger;
  /** Adds routes to the app before it listens, such as the pages of the web client. */
  addRoutes?: (app: FastifyInstance, hub: Hub) => Promise<unknown>;
}

export interface TestHub extends AsyncDisposable {
  hub: Hub;
  /** The URL where the hub listens, such as `http://127.0.0.1:<port>`. */
  url: string;
  /** Every line that the hub has logged. */
  log: string[];
  guest(): Actor;
  /** Registers an account. Its tier is free until {@link TestHub.pass} grants a pass. */
  member(username: string): Promise<Actor>;
  /** Logs an account in, like a browser: the actor has a session cookie and no API key. */
  signIn(username: string): Promise<Actor>;
  /** Grants the actor a pass, by default for 30 days. */
  pass(actor: Actor, tier: "free" | "vip" | "pro", until?: object): Promise<void>;
  /** Registers an account with a vip pass, which POST /api/chat requires. */
  vip(username: string): Promise<Actor>;
  /** Sets the database's clock ahead of the real time, e.g. by `31 days`. */
  moveClock(by: string): Promise<void>;
  close(): Promise<void>;
}

export const ADMIN_TOKEN = "admin-token-of-the-test-hub";
export const MAIL_FROM = "Soul Hub <hub@example.org>";
export const PASSWORD = "correct horse battery";

const offline = {
  text: null,
  vision: null,
  premium: null,
  summary: null,
  keys: {},
  openaiCompatible: {},
  timeoutMs: 5_000,
};

const noModels = createOwnModels({
  allowedHosts: [],
  timeoutMs: offline.timeoutMs,
  lookup: (_name, _options, callback) => callback(new Error("no names in tests"), "", 0),
});

const databaseFor = async (wanted: DatabaseKind | Database) =>
  typeof wanted === "string" ? emptyDatabase(wanted) : wanted;

/**
 * Starts a complete hub that listens, with its real transports and a real database. Tests may
 * replace the models, the chain and the clock.
 */
export async function startTestHub(options: TestHubOptions = {}): Promise<TestHub> {
  const log: string[] = [];
  const logged = new Writable({
    write(line, _encoding, done) {
      log.push(String(line));
      done();
    },
  });
  const database = await databaseFor(options.database ?? ruleDatabase());
  const hub = createHub({
    config: {
      version: "0.0.0-test",
      baseUrl: "http://127.0.0.1",
      adminToken: ADMIN_TOKEN,
      tiers: defaultTiers,
      modelCallsAtOnce: 256,
      retainRoomsDays: 0,
      retainGuestRoomsDays: 0,
      retainUsageDays: 90,
      retainReportsDays: 180,
      retainAuditDays: 400,
      deletionGraceDays: 14,
      rateLimits: false,
      diskReserveBytes: 0,
      autoLimit: 0,
      registration: "open",
      guests: true,
      emailVerification: "optional",
      about: { contact: null, termsUrl: null, privacyUrl: null },
      storageBytesPerAccount: 256 * 2 ** 20,
      cdnCache: false,
      slowQueryMs: 0,
      mcpAllowedOrigins: [],
      wallets: [{ name: "Test wallet", url: "https://wallet.example/sign-message" }],
      ...options.config,
    },
    database,
    masterKeys: options.masterKeys ?? [{ id: "test", key: new Uint8Array(32).fill(7) }],
    models: options.models ?? createModels(offline, { offlinePieceMs: 0 }),
    ownModels: options.ownModels ?? noModels,
    chain: options.chain ?? null,
    mail: options.smtpUrl
      ? await createSmtpMailer({ url: options.smtpUrl, from: MAIL_FROM, tryMs: options.mailTryMs })
      : null,
    embeddingModel: options.embeddingModel ?? null,
    redis: options.redis,
    backup: options.backup,
    backupSchedule: options.backupSchedule,
    ...(options.realPasswordCost ? {} : { passwordCost: { memoryKib: 64, passes: 1 } }),
    drainMs: 0,
    log:
      options.logger ??
      pino({ level: "trace", ...(options.tracer && { mixin: traceFields }) }, logged),
    tracer: options.tracer ?? null,
  });
  const app = await createApp(hub, { trustProxy: options.trustProxy ?? [] });
  await options.addRoutes?.(app, hub);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  if (!options.config?.baseUrl) hub.config.baseUrl = url;

  const actor = (name: string, apiKey?: string) =>
    createActor({ name, baseUrl: () => url, ...(apiKey ? { apiKey } : {}) });
  const operator = actor("the operator", ADMIN_TOKEN);
  const close = async () => {
    // A response that a test has not read keeps its connection open for over a minute. Calls that a
    // test has left running end before.
    const late = setTimeout(() => app.server.closeAllConnections(), 3_000);
    await app.close();
    clearTimeout(late);
    await hub.close();
  };

  const member = async (username: string): Promise<Actor> => {
    const { body } = await actor(username).post("/api/register", {
      username,
      password: PASSWORD,
      email: `${username}@example.org`,
    });
    if (!body.success) throw new Error(`${username} could not register: ${body.message}`);
    return actor(username, body.api_key);
  };
  const pass: TestHub["pass"] = async ({ name }, tier, until = { days: 30 }) => {
    const { body } = await operator.post("/api/admin/pass", {
      username: name,
      tier,
      ...(tier === "free" ? {} : until),
    });
    if (!body.success) throw new Error(`${name} got no pass: ${body.message}`);
  };

  return {
    hub,
    url,
    log,
    guest: () => actor("a guest"),
    member,
    async signIn(username) {
      const browser = actor("a browser");
      const login = { username, password: PASSWORD, remember: true };
      const { body } = await browser.post("/api/login", login);
      if (!body.success) throw new Error(`${username} could not log in: ${body.message}`);
      return browser;
    },
    pass,
    async vip(username) {
      const made = await member(username);
      await pass(made, "vip");
      return made;
    },
    moveClock: (by) => moveDatabaseClock(database, by),
    close,
    [Symbol.asyncDispose]: close,
  };
}
