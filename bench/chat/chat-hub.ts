import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultTiers } from "@soul-hub/api";
import { ADMIN_TOKEN, startHubWith } from "../rest/contenders.ts";
import type { ChatClient } from "./load/load-protocol.ts";

/** The number of calls that one account may run at a time (decisions §5). */
const ROOMS_PER_ACCOUNT = 8;
const MODEL = "openai-compatible:words";
const SOUL = `# Who you are\n\nYou keep the lighthouse at Skarholm. ${"You answer in one sentence, and the lamp comes first. ".repeat(30)}`;

export interface ChatHub {
  name: string;
  port: number;
  process: ChildProcess;
  /** Returns clients with a pass, each with a room of its own. */
  clients(count: number): Promise<ChatClient[]>;
  /** Returns percentiles of the event loop's delay since the previous call, in milliseconds. */
  eventLoopDelay(): Promise<{ p50: number; p99: number; max: number }>;
}

interface ChatHubOptions {
  databaseUrl: string | null;
  providerPort: number;
  /** Further environment variables. */
  settings?: Record<string, string>;
  /** The server's main.ts, such as that of a former release. */
  main?: string | undefined;
}

/**
 * Starts `apps/server` with the benchmark's provider as its model. Without a database URL it uses
 * the embedded database.
 */
export async function startChatHub(
  name: string,
  { databaseUrl, providerPort, settings = {}, main }: ChatHubOptions,
  onEnd: (cleanUp: () => Promise<void>) => void,
): Promise<ChatHub> {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-bench-"));
  onEnd(() => rm(directory, { recursive: true, force: true }));
  const tiers = { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: 1_000_000_000 } };
  await writeFile(path.join(directory, "tiers.json"), JSON.stringify(tiers));
  const environment = {
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: path.join(directory, "data") }),
    STARTER_SOULS: "off",
    TIERS_FILE: path.join(directory, "tiers.json"),
    TEXT_MODEL: MODEL,
    OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
    // The benchmark's burst requests 1,000 replies at once, each of which needs a model call.
    MODEL_CALLS_AT_ONCE: "1000",
    ...settings,
  };
  const hub = await startHubWith(environment, main);
  const health = await fetch(`http://127.0.0.1:${hub.port}/healthz`);
  const { models } = (await health.json()) as { models: { text: string } };
  // The offline model would pace each reply, and the benchmark would measure that.
  if (models.text !== MODEL) throw new Error(`The hub's model is ${models.text}.`);
  const call = async (method: string, address: string, key: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${hub.port}${address}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
    return response;
  };
  const json = async (address: string, key: string, body: object) =>
    (await call("POST", address, key, body)).json() as Promise<Record<string, never>>;

  let accountCount = 0;
  let soulId = 0;
  async function newAccount(): Promise<string> {
    const username = `client-${accountCount++}`;
    const account = { username, password: "correct horse battery", email: "client@example.org" };
    const response = await fetch(`http://127.0.0.1:${hub.port}/api/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(account),
    });
    const { api_key } = (await response.json()) as { api_key: string };
    await json("/api/admin/pass", ADMIN_TOKEN, { username, tier: "vip", days: 1 });
    return api_key;
  }

  return {
    name,
    port: hub.port,
    process: hub.process,
    async clients(count) {
      const accounts = Math.ceil(count / ROOMS_PER_ACCOUNT);
      const keys: string[] = [];
      // Accounts register four at a time, because the hub hashes four passwords at a time.
      while (keys.length < accounts) {
        const next = Math.min(4, accounts - keys.length);
        keys.push(...(await Promise.all(Array.from({ length: next }, newAccount))));
      }
      const soul = { title: "Orla", content: SOUL };
      soulId ||= (await json("/api/souls", keys[0] ?? "", soul)).id ?? 0;
      return Array.from({ length: count }, (_, n) => ({
        apiKey: keys[n % accounts] ?? "",
        soul_id: soulId,
        session_token: `room-${accountCount}-${n}`,
      }));
    },
    async eventLoopDelay() {
      const text = await (await call("GET", "/metrics", ADMIN_TOKEN)).text();
      const read = (quantile: string) =>
        1_000 *
        Number(new RegExp(`^nodejs_eventloop_lag_${quantile}_seconds (\\S+)`, "m").exec(text)?.[1]);
      return { p50: read("p50"), p99: read("p99"), max: read("max") };
    },
  };
}
