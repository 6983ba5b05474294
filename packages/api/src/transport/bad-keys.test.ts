import { beforeAll, describe, expect, it } from "vitest";
import { createApiKey } from "../accounts/api-key.ts";
import { withNamedKey } from "../accounts/keys/named-key.fixture.ts";
import { keyScopes } from "../caller/key-scopes.schema.ts";
import { type Actor, createActor } from "../testing/actor.ts";
import { openRoom, type RoomName } from "../testing/chat-hub.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { failureCode, openSocket } from "../testing/live-visitor.ts";
import { heldRequest } from "../testing/requests/held-request.ts";

/** A key that is no longer valid, or never was, is 401 on every transport (0050). */
describeHub("a key", {}, (hub) => {
  let ada: Actor;
  let room: RoomName;
  const keys: Record<string, Actor> = {};

  beforeAll(async () => {
    ada = await hub.vip("ada");
    room = await openRoom(ada);
    const actor = (apiKey: string) =>
      createActor({ name: "nobody", apiKey, baseUrl: () => hub.url });
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
    const expired = await withNamedKey(hub, ada, keyScopes, { expires_at: tomorrow });
    const revoked = await withNamedKey(hub, ada, keyScopes);
    expect((await expired.get("/api/souls")).status).toBe(200);
    expect((await revoked.get("/api/souls")).status).toBe(200);
    await hub.moveClock("2 days");
    await revoked.delete("/api/keys");
    Object.assign(keys, {
      "has expired": expired,
      "is revoked": revoked,
      "is unknown": actor(createApiKey()),
      "is malformed": actor("shk_no-key"),
    });
  });

  describe.each(["has expired", "is revoked", "is unknown", "is malformed"])("that %s", (state) => {
    const key = () => keys[state] as Actor;
    const message = { ...{ soul_id: 1, session_token: "lobby" }, content: "Hi." };
    const models = { model: "soul-1", messages: [{ role: "user", content: "Hi." }] };
    const toolCall = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const accept = { accept: "application/json, text/event-stream" };
    const stream = { accept: "text/event-stream" };
    const live = encodeURIComponent(JSON.stringify(message));

    it.each<[string, () => Promise<{ status: number }>]>([
      ["REST, in public", () => key().get("/api/souls")],
      ["REST", () => key().get("/api/me")],
      ["REST, with a body", () => key().post("/api/chat", message)],
      ["REST, as a stream", () => key().post("/api/chat", message, stream)],
      ["a download", () => key().get("/api/soul/1/export")],
      [
        "an upload",
        () =>
          key().send("POST", "/api/souls/import", "# Orla", { "content-type": "text/markdown" }),
      ],
      ["tRPC over HTTP", () => key().get("/trpc/souls.categories")],
      ["a batch", () => key().get("/trpc/souls.categories,souls.categories?batch=1")],
      ["/v1/models", () => key().get("/v1/models")],
      ["/v1/chat/completions", () => key().post("/v1/chat/completions", models)],
      ["/v1/responses", () => key().post("/v1/responses", { model: "soul-1", input: "Hi." })],
      ["/mcp", () => key().post("/mcp", toolCall, accept)],
    ])("is 401 on %s", async (_, call) => {
      expect((await call()).status).toBe(401);
    });

    it("ends a subscription over SSE", async () => {
      const answer = await key().get(`/trpc/rooms.live?input=${live}`, stream);
      expect(answer.text).toContain('"error":"unauthenticated"');
      expect(answer.text).not.toContain('"type":"sync"');
    });

    it("is refused over a WebSocket", async () => {
      await using socket = openSocket(hub, key());
      const visitor = socket.join(room);
      await expect.poll(() => visitor.endedBy).toBe("unauthenticated");
      const listed = socket.client.souls.list.query({}).then(() => "no error", failureCode);
      expect(await listed).toBe("unauthenticated");
    });
  });

  it.each<[string, string, object]>([
    ["REST", "/api/like", { soul_id: 1 }],
    ["tRPC", "/trpc/social.like", { soul_id: 1 }],
    ["/v1", "/v1/chat/completions", { model: "soul-1", messages: [] }],
    ["/mcp", "/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }],
  ])("that is revoked before the body arrives is 401 on %s", async (_, path, body) => {
    const key = await withNamedKey(hub, ada, keyScopes);
    const request = await heldRequest(hub, key, { path, body });
    await key.delete("/api/keys");
    expect((await request.finish()).status).toBe(401);
  });

  it("that is replaced cannot replace the new one with a request begun before", async () => {
    const bea = await hub.member("bea");
    const request = await heldRequest(hub, bea, { path: "/api/api-key/rotate", body: {} });
    const { body } = await bea.post("/api/api-key/rotate", {});
    expect((await request.finish()).status).toBe(401);
    expect(
      (
        await createActor({ name: "bea", apiKey: body.api_key, baseUrl: () => hub.url }).get(
          "/api/me",
        )
      ).status,
    ).toBe(200);
  });
});
