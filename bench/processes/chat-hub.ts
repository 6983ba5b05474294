import { writeFile } from "node:fs/promises";
import path from "node:path";
import { defaultTiers } from "@soul-hub/api";
import type { Actor } from "@soul-hub/api/testing";
import type { Stage } from "../runner/stage.ts";
import { actorOf, newMembers, ok } from "./member.ts";
import { ADMIN_TOKEN, type Server, startHub } from "./server.ts";

export interface RoomName {
  soul_id: number;
  session_token: string;
}

/** A client with a pass and one room. It sends one message at a time. */
export interface ChatClient extends RoomName {
  apiKey: string;
}

/** A hub as released: one server, or several that share a database and Redis. */
export interface ChatHub {
  name: string;
  server: Server;
  servers: Server[];
  /** Returns clients, each with a room of its own. */
  clients(count: number): Promise<ChatClient[]>;
  /** Creates public rooms with one question and its reply each. */
  rooms(count: number): Promise<RoomName[]>;
  /** Sends a question. The promise resolves when question and reply are stored. */
  say(room: RoomName, content: string): Promise<void>;
  /** Returns the value of a metric from /metrics. */
  metric(name: string): Promise<number>;
}

interface ChatHubOptions {
  name?: string;
  /** Without a URL the hub uses the embedded database, unless the settings name a DATA_DIR. */
  databaseUrl?: string | undefined;
  /** Further environment variables, such as those of a model provider. */
  settings?: Record<string, string>;
  servers?: number;
  /** The server's main.ts, such as that of a former release. */
  main?: string | undefined;
}

/** The number of replies that one account may have in progress (decisions §5). */
const REPLIES_PER_ACCOUNT = 8;
const SOUL = `# Who you are\n\nYou keep the lighthouse at Skarholm. ${"You answer in one sentence, and the lamp comes first. ".repeat(30)}`;

/** Starts `apps/server` with passes that are never used up. */
export async function startChatHub(
  stage: Stage,
  { databaseUrl, settings = {}, servers: count = 1, ...options }: ChatHubOptions = {},
): Promise<ChatHub> {
  const directory = await stage.newDirectory();
  const tiers = { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: 1_000_000_000 } };
  await writeFile(path.join(directory, "tiers.json"), JSON.stringify(tiers));
  const environment = {
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: await stage.newDataDirectory() }),
    STARTER_SOULS: "off",
    TIERS_FILE: path.join(directory, "tiers.json"),
    ...settings,
  };
  const servers: Server[] = [];
  // The servers start one after the other, because the first one migrates the database.
  while (servers.length < count) servers.push(await startHub(stage, environment, options));
  const [server] = servers as [Server];
  const { models } = await ok(actorOf(server.url, "guest").get("/healthz"));
  // The offline model would pace each reply, and the benchmark would measure that.
  if (settings.TEXT_MODEL && models.text !== settings.TEXT_MODEL) {
    throw new Error(`The hub's model is ${models.text}.`);
  }

  let soulId = 0;
  let [memberCount, roomCount, said] = [0, 0, 0];
  const join = async (members: number): Promise<Actor[]> => {
    const joined = await newMembers(server.url, `client-${memberCount++}`, members);
    const soul = { title: "Orla", content: SOUL };
    soulId ||= (await ok((joined[0] as Actor).post("/api/souls", soul))).id;
    return joined;
  };
  let writers: Promise<Actor[]> | undefined;
  const say: ChatHub["say"] = async (room, content) => {
    writers ??= join(REPLIES_PER_ACCOUNT);
    const all = await writers;
    await ok((all[said++ % all.length] as Actor).post("/api/chat", { ...room, content }));
  };
  return {
    name: server.name,
    server,
    servers,
    say,
    async clients(count) {
      const members = await join(Math.ceil(count / REPLIES_PER_ACCOUNT));
      return Array.from({ length: count }, (_, n) => ({
        apiKey: members[n % members.length]?.apiKey ?? "",
        soul_id: soulId,
        session_token: `room-${roomCount++}`,
      }));
    },
    async rooms(count) {
      writers ??= join(REPLIES_PER_ACCOUNT);
      await writers;
      const rooms = Array.from({ length: count }, () => ({
        soul_id: soulId,
        session_token: `room-${roomCount++}`,
      }));
      for (const room of rooms) await say(room, "Good evening.");
      return rooms;
    },
    async metric(name) {
      const { text } = await actorOf(server.url, "operator", ADMIN_TOKEN).get("/metrics");
      return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
    },
  };
}
