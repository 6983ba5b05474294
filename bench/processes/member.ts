import { type Actor, type Answer, createActor, PASSWORD } from "@soul-hub/api/testing";
import { ADMIN_TOKEN } from "./server.ts";

/**
 * Awaits a response with status 200.
 * @returns its body
 */
export async function ok(call: Promise<Answer>): Promise<Answer["body"]> {
  const { status, text, body } = await call;
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
  return body;
}

export const actorOf = (url: string, name: string, apiKey = ""): Actor =>
  createActor({ name, apiKey, baseUrl: () => url });

/** Registers an account with a pass. */
export async function newMember(url: string, username: string): Promise<Actor> {
  const account = { username, password: PASSWORD, email: `${username}@example.org` };
  const { api_key } = await ok(actorOf(url, username).post("/api/register", account));
  const pass = { username, tier: "vip", days: 1 };
  await ok(actorOf(url, "operator", ADMIN_TOKEN).post("/api/admin/pass", pass));
  return actorOf(url, username, api_key);
}

/** Registers accounts four at a time, because the hub hashes four passwords at a time. */
export async function newMembers(url: string, prefix: string, count: number): Promise<Actor[]> {
  const members: Actor[] = [];
  while (members.length < count) {
    const next = Array.from({ length: Math.min(4, count - members.length) }, (_, n) =>
      newMember(url, `${prefix}-${members.length + n}`),
    );
    members.push(...(await Promise.all(next)));
  }
  return members;
}
