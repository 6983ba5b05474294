import type { Actor, Answer } from "../../testing/actor.ts";
import { openRoom, startChatHub } from "../../testing/chat-hub.ts";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import type { DatabaseKind } from "../../testing/test-database.ts";
import { hostAndPort } from "./host-and-port.ts";

export const KEY = "sk-the-good-key-of-ada";

export type OwnProviderHub = Awaited<ReturnType<typeof startOwnProviderHub>>;

/** A hub, a soul of Olga's, and a provider of Ada's own beside it. */
export async function startOwnProviderHub(database: DatabaseKind) {
  /** Those that the provider takes. */
  const keys: string[] = [];
  const own = await startOpenAiServer({ keys });
  const hub = await startChatHub({
    database,
    ownModelsOptions: { allowedHosts: [hostAndPort(new URL(own.url))], timeoutMs: 60_000 },
  });
  const owner = await hub.vip("olga");
  const ada = await hub.member("ada");
  const room = await openRoom(owner);

  /** Saves the provider's key as theirs. */
  const bring = async (who: Actor) => {
    const fields = { provider: "openai-compatible", base_url: own.url, text_model: "own-text" };
    const { body } = await who.put("/api/byok", { ...fields, api_key: KEY });
    if (body.success !== true) throw new Error(body.message);
  };
  return {
    keys,
    own,
    hub,
    owner,
    ada,
    room,
    bring,
    ask: (who: Actor, more: object = {}, headers?: Record<string, string>): Promise<Answer> =>
      who.post("/api/self-chat", { ...room, content: "Is it dark?", ...more }, headers),
    /** Nobody has a key but Ada, and hers is good. */
    async renew() {
      await hub.hub.database.db.deleteFrom("provider_keys").execute();
      keys.splice(0, keys.length, KEY);
      await bring(ada);
    },
    async close() {
      await hub.close();
      await own.close();
    },
  };
}

export const failure = ({ status, body }: Answer) => [status, body.error];
