import type { Actor, RoomName } from "@soul-hub/api/testing";
import { blame } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";
import { actorOf, newMembers, ok } from "./member.ts";
import { ADMIN_TOKEN, type HubOptions, type Server, startHub } from "./server.ts";

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

interface ChatHubOptions extends HubOptions {
  /** Without a URL the hub uses the embedded database, unless the settings name a DATA_DIR. */
  databaseUrl?: string | undefined;
  /** Further environment variables, such as those of a model provider. */
  settings?: Record<string, string>;
  servers?: number;
}

/** The number of replies that one account may have in progress (decisions §5). */
const REPLIES_PER_ACCOUNT = 8;
const SOUL = `# Who you are\n\nYou keep the lighthouse at Skarholm. ${"You answer in one sentence, and the lamp comes first. ".repeat(30)}`;

export async function startChatHub(
  stage: Stage,
  { databaseUrl, settings = {}, servers: count = 1, ...options }: ChatHubOptions = {},
): Promise<ChatHub> {
  const environment = {
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: await stage.newDataDirectory() }),
    ...settings,
  };
  const servers = await Promise.all(
    Array.from({ length: count }, () => startHub(stage, environment, options)),
  );
  const [server] = servers as [Server];
  const { models } = await ok(actorOf(server.url, "guest").get("/healthz"));
  // The offline model would pace each reply, and the benchmark would measure that.
  if (settings.TEXT_MODEL && models.text !== settings.TEXT_MODEL) {
    throw new Error(`The hub's model is ${models.text}.`);
  }

  let [soulId, roomCount, memberCount, said] = [0, 0, 0, 0];
  const newRooms = (rooms: number): RoomName[] =>
    Array.from({ length: rooms }, () => ({
      soul_id: soulId,
      session_token: `room-${roomCount++}`,
    }));
  const join = async (members: number): Promise<Actor[]> => {
    const joined = await newMembers(server.url, `client-${memberCount++}`, members);
    const soul = { title: "Orla", content: SOUL };
    soulId ||= (await ok((joined[0] as Actor).post("/api/souls", soul))).id;
    return joined;
  };
  let writers: Promise<Actor[]> | undefined;
  const writersOf = () => {
    writers ??= join(stage.size(REPLIES_PER_ACCOUNT, 2));
    return writers;
  };
  const say: ChatHub["say"] = async (room, content) => {
    const all = await writersOf();
    const writer = all[said++ % all.length] as Actor;
    await blame(server.name, () => ok(writer.post("/api/chat", { ...room, content })));
  };
  return {
    name: server.name,
    server,
    servers,
    say,
    async clients(count) {
      const members = await join(Math.ceil(count / REPLIES_PER_ACCOUNT));
      return newRooms(count).map((room, n) => ({
        ...room,
        apiKey: members[n % members.length]?.apiKey ?? "",
      }));
    },
    async rooms(count) {
      await writersOf();
      const rooms = newRooms(count);
      for (const room of rooms) await say(room, "Good evening.");
      return rooms;
    },
    async metric(name) {
      const { text } = await actorOf(server.url, "operator", ADMIN_TOKEN).get("/metrics");
      return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
    },
  };
}
