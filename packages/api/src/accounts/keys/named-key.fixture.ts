import type { KeyScope } from "../../caller/key-scopes.schema.ts";
import { type Actor, createActor } from "../../testing/actor.ts";
import { PASSWORD } from "../../testing/test-hub.ts";

export interface NamedActor extends Actor {
  keyId: number;
}

/** Creates a named key of an account. Returns an actor that sends it. */
export async function withNamedKey(
  { url }: { url: string },
  owner: Actor,
  scopes: readonly KeyScope[],
  more: object = {},
): Promise<NamedActor> {
  const wanted = { name: "a program", scopes, password: PASSWORD, ...more };
  const { body } = await owner.post("/api/keys", wanted);
  if (!body.success) throw new Error(`The key was not created: ${body.message}`);
  const actor = createActor({ name: owner.name, apiKey: body.api_key, baseUrl: () => url });
  return { ...actor, keyId: body.key.id };
}
