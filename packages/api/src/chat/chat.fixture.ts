import { createModels } from "./models/models.ts";
import type { ModelsOptions } from "./models/models.ts";
import type { ModelsConfig } from "./models/models-config.ts";
import { configFor } from "./models/models.fixture.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import {
  type OpenAiServer,
  type OpenAiServerOptions,
  startOpenAiServer,
} from "../testing/openai-server.ts";
import { PASSWORD, startTestHub, type TestHub, type TestHubOptions } from "../testing/test-hub.ts";

export interface ChatRoomName {
  soul_id: number;
  session_token: string;
}

export interface ChatHub extends TestHub {
  /** The stand-in that the hub's real provider code talks to: the witness of what it was told. */
  provider: OpenAiServer;
}

interface ChatHubOptions extends TestHubOptions {
  provider?: OpenAiServerOptions;
  routes?: Partial<ModelsConfig>;
  modelOptions?: ModelsOptions;
}

/** A hub whose models answer from a local server that speaks the OpenAI protocol. */
export async function startChatHub(options: ChatHubOptions = {}): Promise<ChatHub> {
  const provider = await startOpenAiServer(options.provider);
  const models = createModels(configFor(provider, options.routes), {
    retryDelayMs: 0,
    ...options.modelOptions,
  });
  const hub = await startTestHub({ ...options, models });
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
): Promise<ChatRoomName> {
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
  room: ChatRoomName,
  content: string,
  more: object = {},
): Promise<Answer> => actor.post("/api/chat", { ...room, content, ...more });

/** The same message through tRPC over HTTP, as the hub's own page sends it. */
export const sayOnPage = (
  actor: Actor,
  room: ChatRoomName,
  content: string,
  more: object = {},
): Promise<Answer> => actor.post("/trpc/chat.send", { ...room, content, ...more });

const query = (input: object) => new URLSearchParams(Object.entries(input).map(([k, v]) => [k, String(v)]));

/** GET /api/chat */
export const history = (actor: Actor, room: ChatRoomName, more: object = {}): Promise<Answer> =>
  actor.get(`/api/chat?${query({ ...room, ...more })}`);

/** GET /api/chat-sync */
export const sync = (actor: Actor, room: ChatRoomName, more: object = {}): Promise<Answer> =>
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
