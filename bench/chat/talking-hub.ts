import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultTiers } from "@soul-hub/api";
import { ADMIN_TOKEN, startHubWith } from "../rest/contenders.ts";
import type { Talker } from "./load/talk-protocol.ts";

/** Decisions §5: one account runs as many calls at a time. */
const ROOMS_EACH = 8;
const SOUL = `# Who you are\n\nYou keep the lighthouse at Skarholm. ${"You answer in one sentence, and the lamp comes first. ".repeat(30)}`;

export interface TalkingHub {
  name: string;
  port: number;
  process: ChildProcess;
  /** People with a pass, each in a room of their own. */
  talkers(count: number): Promise<Talker[]>;
  /** Milliseconds that the event loop was late since the last time it was asked. */
  eventLoopDelay(): Promise<{ p50: number; p99: number; max: number }>;
}

/** A hub as it ships, whose models are the provider of the bench. Without a database URL the embedded one. */
export async function startTalkingHub(
  name: string,
  { databaseUrl, providerPort }: { databaseUrl: string | null; providerPort: number },
  onEnd: (cleanUp: () => Promise<void>) => void,
): Promise<TalkingHub> {
  const place = await mkdtemp(path.join(tmpdir(), "soul-hub-bench-"));
  onEnd(() => rm(place, { recursive: true, force: true }));
  const tiers = { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: 1_000_000_000 } };
  await writeFile(path.join(place, "tiers.json"), JSON.stringify(tiers));
  const hub = await startHubWith({
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: path.join(place, "data") }),
    STARTER_SOULS: "off",
    TIERS_FILE: path.join(place, "tiers.json"),
    TEXT_MODEL: "openai-compatible:words",
    OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
    // A thousand replies are to be written at once.
    MODEL_CALLS_AT_ONCE: "1000",
  });
  const call = async (method: string, address: string, key: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${hub.port}${address}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (answer.status !== 200) throw new Error(`${address}: ${answer.status}`);
    return answer;
  };
  const json = async (address: string, key: string, body: object) =>
    (await call("POST", address, key, body)).json() as Promise<Record<string, never>>;

  let people = 0;
  let soulId = 0;
  async function newPerson(): Promise<string> {
    const username = `talker-${people++}`;
    const account = { username, password: "correct horse battery", email: "talker@example.org" };
    const answer = await fetch(`http://127.0.0.1:${hub.port}/api/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(account),
    });
    const { api_key } = (await answer.json()) as { api_key: string };
    await json("/api/admin/pass", ADMIN_TOKEN, { username, tier: "vip", days: 1 });
    return api_key;
  }

  return {
    name,
    port: hub.port,
    process: hub.process,
    async talkers(count) {
      const accounts = Math.ceil(count / ROOMS_EACH);
      const keys: string[] = [];
      // Four passwords are hashed at a time.
      while (keys.length < accounts) {
        const next = Math.min(4, accounts - keys.length);
        keys.push(...(await Promise.all(Array.from({ length: next }, newPerson))));
      }
      const soul = { title: "Orla", content: SOUL };
      soulId ||= (await json("/api/souls", keys[0] ?? "", soul)).id ?? 0;
      return Array.from({ length: count }, (_, n) => ({
        apiKey: keys[n % accounts] ?? "",
        soul_id: soulId,
        session_token: `room-${people}-${n}`,
      }));
    },
    async eventLoopDelay() {
      const text = await (await call("GET", "/metrics", ADMIN_TOKEN)).text();
      const read = (which: string) =>
        1_000 *
        Number(new RegExp(`^nodejs_eventloop_lag_${which}_seconds (\\S+)`, "m").exec(text)?.[1]);
      return { p50: read("p50"), p99: read("p99"), max: read("max") };
    },
  };
}
