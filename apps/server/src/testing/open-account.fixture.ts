import { type Actor, PASSWORD, type ServerProcess } from "@soul-hub/api/testing";

/** Registers an account and grants it a pass for one day. Returns a client with the account's key. */
export async function openAccount(
  server: Pick<ServerProcess, "actor">,
  adminToken: string,
  username: string,
  tier: "vip" | "pro" = "vip",
): Promise<Actor> {
  const account = { username, password: PASSWORD, email: `${username}@example.org` };
  const { body } = await server.actor({ name: username }).post("/api/register", account);
  const operator = server.actor({ name: "the operator", apiKey: adminToken });
  await operator.post("/api/admin/pass", { username, tier, days: 1 });
  return server.actor({ name: username, apiKey: body.api_key });
}

/** Publishes a soul. Returns its id. */
export async function publishSoul(owner: Actor): Promise<number> {
  const { body } = await owner.post("/api/souls", { title: "Orla", content: "I keep the light." });
  return body.id;
}
