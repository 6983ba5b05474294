import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../testing/actor.ts";
import { ADMIN_TOKEN, startTestHub, type TestHub } from "../../testing/test-hub.ts";

describe("the routes for operators", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub();
  });
  afterAll(() => hub.close());

  it("GET /healthz names database and models, and tells that no model is configured", async () => {
    const { status, body } = await hub.guest().get("/healthz");
    expect([status, body]).toEqual([
      200,
      {
        status: "ok",
        version: "0.0.0-test",
        database: "pglite",
        models: { text: "offline", vision: null, premium: null, summary: null },
        model_configured: false,
      },
    ]);
  });

  it("GET /readyz queries the database", async () => {
    const { status, body } = await hub.guest().get("/readyz");
    expect([status, body]).toEqual([200, { status: "ready", database: "ok", bus: "in-process" }]);
  });

  it("GET /metrics counts requests and chats, without names", async () => {
    const ada = await hub.vip("ada");
    const { body } = await ada.post("/api/souls", { title: "T", content: "C" });
    await ada.post("/api/chat", {
      soul_id: body.id,
      session_token: "s-e-c-r-e-t",
      content: "hello",
    });
    const { status, text } = await hub
      .guest()
      .get("/metrics", { authorization: `Bearer ${ADMIN_TOKEN}` });
    expect(status).toBe(200);
    expect(text).toContain(
      'soulhub_http_request_seconds_count{method="POST",route="/api/chat",status="200"} 1',
    );
    expect(text).toContain(
      'soulhub_chats_total{provider="offline",model="offline",outcome="ok"} 1',
    );
    expect(text).toMatch(/^soulhub_rooms \d+$/m);
    expect(text).not.toMatch(/ada|s-e-c-r-e-t/);
  });

  it.each([{}, { authorization: "Bearer wrong-admin-token" }])(
    "GET /metrics is 404 without ADMIN_TOKEN: %j",
    async (headers: Record<string, string>) => {
      const { status, body } = await hub.guest().get("/metrics", headers);
      expect([status, body.error]).toEqual([404, "not_found"]);
    },
  );

  it("GET /metrics counts wrong tokens against the rate limit", async () => {
    await using limited = await startTestHub({ config: { rateLimits: true } });
    const guess = () => limited.guest().get("/metrics", { authorization: "Bearer wrong-token" });
    const [first, second] = [await guess(), await guess()];
    const left = ({ headers }: Answer) => Number(headers.get("ratelimit-remaining"));
    expect([first.status, left(first) - left(second)]).toEqual([404, 1]);
  });
});
