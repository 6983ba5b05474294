import { expect, it } from "vitest";
import type { Answer } from "../../testing/actor.ts";
import { describeHub } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { ADMIN_TOKEN, PASSWORD, startTestHub, type TestHub } from "../../testing/test-hub.ts";

const metricsOf = async (hub: TestHub) =>
  (await hub.guest().get("/metrics", { authorization: `Bearer ${ADMIN_TOKEN}` })).text;

describeHub("the routes for operators", {}, (hub) => {
  it("GET /healthz names database and models, and tells that no model is configured", async () => {
    const { status, body } = await hub.guest().get("/healthz");
    expect([status, body]).toEqual([
      200,
      {
        status: "ok",
        version: "0.0.0-test",
        database: ruleDatabase(),
        models: { text: "offline", vision: null, premium: null, summary: null },
        model_configured: false,
        found: {
          model: null,
          dimensions: null,
          embedded: 0,
          waiting: 0,
          state: "off",
          reason: "SEARCH_MODEL=off",
        },
      },
    ]);
  });

  it("GET /readyz queries the database, and names the state of bus, disk, mail and replica", async () => {
    const { status, body } = await hub.guest().get("/readyz");
    expect([status, body]).toEqual([
      200,
      {
        status: "ready",
        database: "ok",
        bus: "in-process",
        storage: "ok",
        mail: "off",
        replica: "none",
      },
    ]);
  });

  it("GET /readyz stays 200 while no mail can be sent, and says so", async () => {
    await using mailing = await startTestHub({ smtpUrl: "smtp://127.0.0.1:9" });
    const readiness = async () => (await mailing.guest().get("/readyz")).body;
    expect((await readiness()).mail).toBe("ok");
    await mailing.member("grace");
    await eventually(async () => expect((await readiness()).mail).toBe("failing"));
    expect((await readiness()).status).toBe("ready");
    expect(await metricsOf(mailing)).toContain('soulhub_mails_total{outcome="failed"} 1');
  });

  it("GET /readyz is 503 in its own words while the hub stops", async () => {
    await using leaving = await startTestHub();
    const drained = leaving.hub.drain();
    const { status, body } = await leaving.guest().get("/readyz");
    expect([status, body]).toEqual([503, { status: "unavailable", server: "stopping" }]);
    expect((await leaving.guest().get("/api/souls")).body.error).toBe("shutting_down");
    await drained;
  });

  it("GET /metrics describes logins, refused calls, statements, turns, cases and the build", async () => {
    await using limited = await startTestHub({ config: { rateLimits: true } });
    await limited.member("lin");
    const login = (password: string) =>
      limited.guest().post("/api/login", { username: "lin", password });
    expect((await login(PASSWORD)).status).toBe(200);
    expect((await login("wrong horse battery")).status).toBe(401);
    let refused: Answer | undefined;
    for (let n = 0; n < 40 && refused?.status !== 429; n++) {
      refused = await limited.guest().post("/api/register", {});
    }
    const text = await metricsOf(limited);
    for (const line of [
      'soulhub_logins_total{way="password",outcome="ok"} 1',
      'soulhub_logins_total{way="password",outcome="wrong_credentials"} 1',
      'soulhub_rate_limited_total{rule="register"} 1',
      'soulhub_model_turns{state="waiting"} 0',
      "soulhub_open_cases 0",
      "soulhub_database_up 1",
      "soulhub_schema_too_new 0",
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(/^soulhub_database_statements_total\{statement="insert accounts"\} \d+$/m);
    expect(text).toMatch(/^soulhub_build_info\{version="0\.0\.0-test",node="v24/m);
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
