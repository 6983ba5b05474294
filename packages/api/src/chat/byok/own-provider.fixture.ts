import type { Actor, Answer } from "../../testing/actor.ts";
import { openRoom, startChatHub } from "../../testing/chat-hub.ts";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import type { DatabaseKind } from "../../testing/test-database.ts";
import { hostAndPort } from "./allowed-hosts.ts";

export const KEY = "sk-the-good-key-of-ada";

export type OwnProviderHub = Awaited<ReturnType<typeof startOwnProviderHub>>;

/** Starts a hub with a soul of olga, and a local provider for ada's own key. */
export async function startOwnProviderHub(database: DatabaseKind) {
  /** The keys that the provider accepts. */
  const keys: string[] = [];
  const own = await startOpenAiServer({ keys });
  const hub = await startChatHub({
    database,
    ownModelsOptions: { allowedHosts: [hostAndPort(new URL(own.url))], timeoutMs: 60_000 },
  });
  const owner = await hub.vip("olga");
  const ada = await hub.member("ada");
  const room = await openRoom(owner);

  /** Saves the provider's key for an account. */
  const saveKey = async (who: Actor) => {
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
    saveKey,
    ask: (who: Actor, more: object = {}, headers?: Record<string, string>): Promise<Answer> =>
      who.post("/api/self-chat", { ...room, content: "Is it dark?", ...more }, headers),
    /** Restores the initial state: only ada has a key, and the provider accepts it. */
    async reset() {
      await hub.hub.database.db.deleteFrom("provider_keys").execute();
      keys.splice(0, keys.length, KEY);
      await saveKey(ada);
    },
    async close() {
      await hub.close();
      await own.close();
    },
  };
}
