import { Writable } from "node:stream";
import { pino } from "pino";
import { type AppOptions, createApp } from "../app.ts";
import { createOwnModels, type OwnModels } from "../chat/byok/own-models.ts";
import type { ModelPort } from "../chat/models/model-port.ts";
import { createModels } from "../chat/models/models.ts";
import type { Hub, HubConfig } from "../context.ts";
import type { Database } from "../db/connect.ts";
import { createHub } from "../hub.ts";
import { defaultTiers } from "../quota/tier-table.ts";
import type { RedisLink } from "../rooms/redis/redis-link.ts";
import type { MasterKey } from "../vault.ts";
import type { ChainPort } from "../wallet/chain-port.ts";
import { type Actor, createActor } from "./actor.ts";
import { type DatabaseKind, emptyDatabase, moveDatabaseClock } from "./test-database.ts";

export interface TestHubOptions {
  /** One of its own is closed with the hub. */
  database?: DatabaseKind | Database;
  models?: ModelPort;
  /** Without it no host is listed, and no name is found: no test calls a real provider. */
  ownModels?: OwnModels;
  /** Without it wallets are pinned. */
  chain?: ChainPort;
  /** Without it the hub's rooms are its own. */
  redis?: RedisLink;
  config?: Partial<HubConfig>;
  masterKeys?: MasterKey[];
  fanOut?: AppOptions["fanOut"];
}

export interface TestHub extends AsyncDisposable {
  hub: Hub;
  /** `http://127.0.0.1:<port>`, where it listens. */
  url: string;
  /** Every line it has logged. */
  log: string[];
  guest(): Actor;
  /** A new account; free until {@link TestHub.pass}. */
  member(username: string): Promise<Actor>;
  /** Grants a pass for 30 days, or as given. */
  pass(actor: Actor, tier: "free" | "vip" | "pro", until?: object): Promise<void>;
  /** A new account with a vip pass: what POST /api/chat asks for. */
  vip(username: string): Promise<Actor>;
  /** Moves the database's clock ahead, e.g. by `31 days`. */
  moveClock(by: string): Promise<void>;
  close(): Promise<void>;
}

export const ADMIN_TOKEN = "admin-token-of-the-test-hub";
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

/** A whole hub that listens: real doors, a real database; only models and clock can be stood in for. */
export async function startTestHub(options: TestHubOptions = {}): Promise<TestHub> {
  const log: string[] = [];
  const logged = new Writable({
    write(line, _encoding, done) {
      log.push(String(line));
      done();
    },
  });
  const database = await databaseFor(options.database ?? "pglite");
  const hub = createHub({
    config: {
      version: "0.0.0-test",
      baseUrl: "http://127.0.0.1",
      adminToken: ADMIN_TOKEN,
      tiers: defaultTiers,
      modelCallsAtOnce: 256,
      rateLimits: false,
      ...options.config,
    },
    database,
    masterKeys: options.masterKeys ?? [{ id: "test", key: new Uint8Array(32).fill(7) }],
    models: options.models ?? createModels(offline, { offlinePieceMs: 0 }),
    ownModels: options.ownModels ?? noModels,
    chain: options.chain ?? null,
    redis: options.redis,
    drainMs: 0,
    log: pino({ level: "trace" }, logged),
  });
  const app = await createApp(hub, { fanOut: options.fanOut });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  if (!options.config?.baseUrl) hub.config.baseUrl = url;

  const actor = (name: string, apiKey?: string) =>
    createActor({ name, baseUrl: () => url, ...(apiKey ? { apiKey } : {}) });
  const operator = actor("the operator", ADMIN_TOKEN);
  const close = async () => {
    await app.close();
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
