import { sql } from "kysely";
import { hostAndPort } from "../chat/byok/allowed-hosts.ts";
import { createOwnModels, type OwnModelsOptions } from "../chat/byok/own-models.ts";
import { configFor } from "../chat/models/models.fixture.ts";
import { createModels, type ModelsOptions } from "../chat/models/models.ts";
import type { ModelsConfig } from "../chat/models/models-config.ts";
import type { RoomName } from "../chat/rows/room-key.ts";
import type { Actor, Answer } from "./actor.ts";
import { type OpenAiServer, type OpenAiServerOptions, startOpenAiServer } from "./openai-server.ts";
import { startTestHub, type TestHub, type TestHubOptions } from "./test-hub.ts";

export type { RoomName };

export interface ChatHub extends TestHub {
  /** The local model provider that the hub calls. It records every request. */
  provider: OpenAiServer;
}

export interface ChatHubOptions extends TestHubOptions {
  provider?: OpenAiServerOptions;
  routes?: Partial<ModelsConfig>;
  modelOptions?: ModelsOptions;
  ownModelsOptions?: Partial<OwnModelsOptions>;
}

/** Starts a hub whose models call a local server with the OpenAI protocol. */
export async function startChatHub(options: ChatHubOptions = {}): Promise<ChatHub> {
  const provider = await startOpenAiServer(options.provider);
  const models = createModels(configFor(provider, options.routes), {
    retryDelayMs: 0,
    ...options.modelOptions,
  });
  const ownModels = createOwnModels({
    // Accounts may use the local provider with keys of their own, too.
    allowedHosts: [hostAndPort(new URL(provider.url))],
    timeoutMs: 5_000,
    retryDelayMs: 0,
    ...options.ownModelsOptions,
  });
  const hub = await startTestHub({ ownModels, ...options, models });
  const close = async () => {
    await hub.close();
    await provider.close();
  };
  return { ...hub, provider, close, [Symbol.asyncDispose]: close };
}

/** Publishes a soul and returns the name of a room of this soul. The room has no messages yet. */
export async function openRoom(
  owner: Actor,
  soul: { content?: string; title?: string; is_public?: number } = {},
): Promise<RoomName> {
  const { body } = await owner.post("/api/souls", {
    title: "Orla",
    content: "I keep the lighthouse at Skarholm and answer in one sentence.",
    ...soul,
  });
  if (!body.success) throw new Error(`The soul was not published: ${body.message}`);
  return { soul_id: body.id, session_token: "lobby" };
}

/** Sends a message with POST /api/chat. */
export const say = (
  actor: Actor,
  room: RoomName,
  content: string,
  more: object = {},
): Promise<Answer> => actor.post("/api/chat", { ...room, content, ...more });

/** Sends a message with `chat.send` over HTTP, like the page. */
export const sayOnPage = (
  actor: Actor,
  room: RoomName,
  content: string,
  more: object = {},
): Promise<Answer> => actor.post("/trpc/chat.send", { ...room, content, ...more });

const query = (input: object) =>
  new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  );

/** Reads messages with GET /api/chat. */
export const history = (actor: Actor, room: RoomName, more: object = {}): Promise<Answer> =>
  actor.get(`/api/chat?${query({ ...room, ...more })}`);

/** Polls GET /api/chat-sync. */
export const sync = (actor: Actor, room: RoomName, more: object = {}): Promise<Answer> =>
  actor.get(`/api/chat-sync?${query({ ...room, ...more })}`);

/** Registers an account and logs it in. The actor has a session cookie and no API key. */
export async function signedIn(hub: TestHub, username: string): Promise<Actor> {
  await hub.member(username);
  return hub.signIn(username);
}

/** Returns the number of quota units that the actor may still spend today. */
export const remaining = async (actor: Actor): Promise<number> =>
  (await actor.get("/api/chat-quota")).body.quota.daily_remaining;

/** Appends messages to the hub's only room, by SQL. Subscribers are not notified. */
export async function lengthen({ hub }: TestHub, lines: number): Promise<void> {
  const { db } = hub.database;
  await sql`
    with last as (select * from chat_messages order by id desc limit 1),
    lines as (
      insert into chat_messages (id, room_id, prev_id, role, sender, sender_name, content)
      select last.id + n, room_id, last.id + n - 1,
        case when n % 2 = 1 then 'user' else 'assistant' end, 'account:1', 'vera', 'line ' || (n + 2)
      from last, generate_series(1, ${lines}::int) n returning id)
    update chat_rooms set head_id = (select max(id) from lines)`.execute(db);
  await sql`select setval('chat_messages_id_seq', (select max(id) from chat_messages))`.execute(db);
}

/** A valid image for messages: the header of a PNG file as a data URI. */
export const PNG = `data:image/png;base64,${Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("base64")}`;

/** Status and error code of a REST or tRPC response. */
export const failureOf = ({ status, body }: Answer): [number, string] => [
  status,
  body.error?.data?.error ?? body.error,
];
