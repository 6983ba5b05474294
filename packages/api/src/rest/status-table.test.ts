import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { ADMIN_TOKEN, PASSWORD, startTestHub, type TestHub } from "../testing/test-hub.ts";
import { type RestEndpoint, restEndpoints } from "./rest-endpoints.ts";

/** Who calls, in the order of the columns below. */
const actors = [
  "nobody",
  "guest",
  "member",
  "badKey",
  "key",
  "expired",
  "vip",
  "pro",
  "admin",
] as const;
type ActorName = (typeof actors)[number];

/** What stands before the body is read (decisions §1, Order). `in`: the guard lets them pass. */
type Gate = "in" | "unauthenticated" | "pass_required" | "pass_expired" | "not_found";

const table: Record<RestEndpoint["rung"], Record<ActorName, Gate>> = {
  open: row("in", "in", "in", "unauthenticated", "in", "in", "in", "in", "unauthenticated"),
  member: row(
    "unauthenticated",
    "unauthenticated",
    "in",
    "unauthenticated",
    "in",
    "in",
    "in",
    "in",
    "unauthenticated",
  ),
  keyHolder: row(
    "unauthenticated",
    "unauthenticated",
    "unauthenticated",
    "unauthenticated",
    "in",
    "in",
    "in",
    "in",
    "unauthenticated",
  ),
  passHolder: row(
    "unauthenticated",
    "unauthenticated",
    "unauthenticated",
    "unauthenticated",
    "pass_required",
    "pass_expired",
    "in",
    "in",
    "unauthenticated",
  ),
  admin: row(
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "in",
  ),
};

function row(...gates: Gate[]): Record<ActorName, Gate> {
  return Object.fromEntries(actors.map((name, at) => [name, gates[at]])) as Record<ActorName, Gate>;
}

/** Every endpoint × every actor: who is let in, and what the others are told whatever they send. */
describe("the status table of every endpoint", () => {
  let hub: TestHub;
  let people: Record<ActorName, Actor>;
  beforeAll(async () => {
    hub = await startTestHub();
    const guest = hub.guest();
    await guest.get("/api/chat-quota");
    await hub.member("mia");
    const member = hub.guest();
    await member.post("/api/login", { username: "mia", password: PASSWORD, remember: true });
    const expired = await hub.member("eli");
    await hub.pass(expired, "vip", { expires_at: "2020-01-01 00:00:00" });
    const pro = await hub.member("pia");
    await hub.pass(pro, "pro");
    const bearing = (name: string, apiKey: string): Actor => ({ ...hub.guest(), name, apiKey });
    people = {
      nobody: hub.guest(),
      guest,
      member,
      badKey: bearing("badKey", "shk_not_a_key"),
      key: await hub.member("kai"),
      expired,
      vip: await hub.vip("vic"),
      pro,
      admin: bearing("admin", ADMIN_TOKEN),
    };
  });
  afterAll(() => hub.close());

  const call = ({ method, path }: RestEndpoint, actor: Actor, body: string) =>
    actor.send(
      method,
      `/api${path.replace(/\{\w+\}/, "999999")}`,
      method === "GET" ? undefined : body,
      {
        "content-type": "application/json",
        ...(actor.apiKey ? { authorization: `Bearer ${actor.apiKey}` } : {}),
      },
    );

  describe.each(
    restEndpoints().map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
  )("%s", (_, endpoint) => {
    it.each(actors)("%s", async (name) => {
      const gate = table[endpoint.rung][name];
      // What can't be read is refused as such only by whoever may call at all.
      const { status, body } = await call(endpoint, people[name], "{broken");
      if (gate === "in") {
        expect(["unauthenticated", "pass_required", "pass_expired", "csrf_rejected"]).not.toContain(
          body.error,
        );
        expect(status).not.toBe(401);
        if (endpoint.method === "POST" || endpoint.method === "PUT")
          expect(body.error).toBe("invalid_json");
      } else {
        expect(body.error).toBe(gate);
      }
    });
  });
});
