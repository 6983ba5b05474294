import { sql } from "kysely";
import { hostAndPort } from "../chat/byok/host-and-port.ts";
import { createOwnModels, type OwnModelsOptions } from "../chat/byok/own-models.ts";
import { configFor } from "../chat/models/models.fixture.ts";
import { createModels, type ModelsOptions } from "../chat/models/models.ts";
import type { ModelsConfig } from "../chat/models/models-config.ts";
import type { RoomName } from "../chat/room-key.ts";
import type { Actor, Answer } from "./actor.ts";
import { type OpenAiServer, type OpenAiServerOptions, startOpenAiServer } from "./openai-server.ts";
import { PASSWORD, startTestHub, type TestHub, type TestHubOptions } from "./test-hub.ts";

export type { RoomName };

export interface ChatHub extends TestHub {
  /** The stand-in that the hub's real provider code talks to: the witness of what it was told. */
  provider: OpenAiServer;
}

interface ChatHubOptions extends TestHubOptions {
  provider?: OpenAiServerOptions;
  routes?: Partial<ModelsConfig>;
  modelOptions?: ModelsOptions;
  ownModelsOptions?: Partial<OwnModelsOptions>;
}

/** A hub whose models answer from a local server that speaks the OpenAI protocol. */
export async function startChatHub(options: ChatHubOptions = {}): Promise<ChatHub> {
  const provider = await startOpenAiServer(options.provider);
  const models = createModels(configFor(provider, options.routes), {
    retryDelayMs: 0,
    ...options.modelOptions,
  });
  const ownModels = createOwnModels({
    // People may name the stand-in as their own provider, too.
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

/** Publishes a soul and names a room of it. */
export async function openRoom(
  owner: Actor,
  soul: { content?: string; title?: string; is_public?: number } = {},
): Promise<RoomName> {
  const { body } = await owner.post("/api/souls", {
    title: "Orla",
    content: "I keep the lighthouse at Skarholm and answer in one sentence.",
    ...soul,
  });
  if (!body.success) throw new Error(`no soul: ${body.message}`);
  return { soul_id: body.id, session_token: "lobby" };
}

/** POST /api/chat. */
export const say = (
  actor: Actor,
  room: RoomName,
  content: string,
  more: object = {},
): Promise<Answer> => actor.post("/api/chat", { ...room, content, ...more });

/** The same message through tRPC over HTTP, as the hub's own page sends it. */
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

/** GET /api/chat */
export const history = (actor: Actor, room: RoomName, more: object = {}): Promise<Answer> =>
  actor.get(`/api/chat?${query({ ...room, ...more })}`);

/** GET /api/chat-sync */
export const sync = (actor: Actor, room: RoomName, more: object = {}): Promise<Answer> =>
  actor.get(`/api/chat-sync?${query({ ...room, ...more })}`);

/** An account in a browser: a session cookie and no key. */
export async function signedIn(hub: TestHub, username: string): Promise<Actor> {
  await hub.member(username);
  const browser = hub.guest();
  await browser.post("/api/login", { username, password: PASSWORD, remember: true });
  return browser;
}

/** What is left of the actor's day. */
export const remaining = async (actor: Actor): Promise<number> =>
  (await actor.get("/api/chat-quota")).body.quota.daily_remaining;

/**
 * Goes on with the hub's only room by so many lines, as the chat would have written them. Before
 * anybody listens: nobody is told.
 */
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
