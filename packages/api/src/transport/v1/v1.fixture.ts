import OpenAI from "openai";
import { afterAll, beforeAll, describe } from "vitest";
import { withNamedKey } from "../../accounts/keys/named-key.fixture.ts";
import { keyScopes } from "../../caller/key-scopes.schema.ts";
import type { Actor, Answer } from "../../testing/actor.ts";
import {
  type ChatHub,
  type ChatHubOptions,
  openRoom,
  startChatHub,
} from "../../testing/chat-hub.ts";

export interface V1Hub extends ChatHub {
  /** An account with a vip pass, which owns the soul. */
  vera: Actor;
  soulId: number;
  /** The soul's name as a model. */
  model: string;
  /** The stock client with a key of the actor. */
  client(actor: Pick<Actor, "apiKey">): OpenAI;
}

/** Starts a hub with one soul, for stock clients of `/v1`. */
export async function startV1Hub(options: ChatHubOptions = {}): Promise<V1Hub> {
  const hub = await startChatHub(options);
  const vera = await hub.vip("vera");
  const { soul_id } = await openRoom(vera, { title: "Keeper of the Light" });
  return {
    ...hub,
    vera,
    soulId: soul_id,
    model: `vera/keeper-of-the-light-${soul_id}`,
    client: ({ apiKey }) => new OpenAI({ apiKey, baseURL: `${hub.url}/v1` }),
  };
}

/**
 * Declares a suite with a hub of its own, which starts before the first test.
 * @param suite receives the hub and the key of vera with the scope `chat`; their members are
 *   available in hooks and tests only
 */
export function describeV1(name: string, suite: (hub: V1Hub, key: Actor) => void): void {
  describe(name, () => {
    const hub = {} as V1Hub;
    const key = {} as Actor;
    beforeAll(async () => {
      Object.assign(hub, await startV1Hub());
      Object.assign(key, await chatKeyOf(hub, hub.vera));
    });
    afterAll(() => hub.close());
    suite(hub, key);
  });
}

/** The status and the code of a failure of `/v1`. */
export const errorOf = ({ status, body }: Answer) => [status, body?.error?.code];

/** An actor that calls as the account with a named key of the scope `chat` alone. */
export const chatKeyOf = (hub: ChatHub, owner: Actor) => withNamedKey(hub, owner, ["chat"]);

export const fullKeyOf = (hub: ChatHub, owner: Actor) => withNamedKey(hub, owner, keyScopes);

export const unitsLeft = async (actor: Actor): Promise<number> =>
  (await actor.get("/api/chat-quota")).body.quota.daily_remaining;
