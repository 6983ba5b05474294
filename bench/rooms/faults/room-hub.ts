import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultTiers } from "@soul-hub/api";
import { ADMIN_TOKEN, type Contender, startHubWith } from "../../rest/contenders.ts";

export interface RoomName {
  soul_id: number;
  session_token: string;
}

/** A hub as released: one server, or several servers that share a database and Redis. */
export interface RoomHub {
  servers: Contender[];
  /** Creates public rooms with one message each. */
  rooms(count: number): Promise<RoomName[]>;
  /**
   * Sends a question through the given server. The promise resolves when question and reply are
   * stored.
   */
  say(room: RoomName, content: string, server?: Contender): Promise<void>;
  /** Returns the value of a metric from /metrics. */
  metric(name: string): Promise<number>;
}

interface RoomHubOptions {
  databaseUrl: string;
  /** Environment variables of every server, beyond those that the benchmark always sets. */
  env?: Record<string, string>;
  servers?: number;
  onEnd: (cleanUp: () => Promise<void>) => void;
}

/**
 * The number of accounts that send questions. One account may have only 8 replies in progress
 * (decisions §5).
 */
const ACCOUNTS = 8;

export async function startRoomHub({
  databaseUrl,
  env = {},
  servers: count = 1,
  onEnd,
}: RoomHubOptions): Promise<RoomHub> {
  const place = await mkdtemp(path.join(tmpdir(), "soul-hub-bench-"));
  onEnd(() => rm(place, { recursive: true, force: true }));
  const tiers = { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: 1_000_000_000 } };
  await writeFile(path.join(place, "tiers.json"), JSON.stringify(tiers));
  const settings = {
    DATABASE_URL: databaseUrl,
    STARTER_SOULS: "off",
    TIERS_FILE: path.join(place, "tiers.json"),
    ...env,
  };
  const servers: Contender[] = [];
  // The servers start one after the other, because the first one migrates the database.
  while (servers.length < count) servers.push(await startHubWith(settings));
  const [first] = servers as [Contender];

  async function call<T>(
    method: "GET" | "POST",
    address: string,
    { key, body, server = first }: { key?: string; body?: object; server?: Contender },
  ): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${server.port}${address}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (answer.status !== 200) throw new Error(`${address}: ${answer.status}`);
    return (address === "/metrics" ? answer.text() : answer.json()) as Promise<T>;
  }

  const keys: string[] = [];
  for (let n = 0; n < ACCOUNTS; n++) {
    const username = `writer-${n}`;
    const account = { username, password: "correct horse battery", email: "writer@example.org" };
    const { api_key } = await call<{ api_key: string }>("POST", "/api/register", { body: account });
    const pass = { username, tier: "vip", days: 1 };
    await call("POST", "/api/admin/pass", { key: ADMIN_TOKEN, body: pass });
    keys.push(api_key);
  }
  const soul = { title: "Orla", content: "I keep the lighthouse at Skarholm." };
  const { id: soul_id } = await call<{ id: number }>("POST", "/api/souls", {
    key: keys[0] ?? "",
    body: soul,
  });

  let made = 0;
  let said = 0;
  const say: RoomHub["say"] = async (room, content, server = first) => {
    const key = keys[said++ % keys.length] ?? "";
    await call("POST", "/api/chat", { key, body: { ...room, content }, server });
  };
  return {
    servers,
    say,
    async rooms(count) {
      const rooms = Array.from({ length: count }, () => ({
        soul_id,
        session_token: `room-${made++}`,
      }));
      for (const room of rooms) await say(room, "Good evening.");
      return rooms;
    },
    async metric(name) {
      const text = await call<string>("GET", "/metrics", { key: ADMIN_TOKEN });
      return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
    },
  };
}
