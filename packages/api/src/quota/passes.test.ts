import { beforeAll, expect, it } from "vitest";
import { describeHub } from "../testing/describe-chat.ts";
import { ADMIN_TOKEN, type TestHub } from "../testing/test-hub.ts";

describeHub("/api/admin/pass", {}, (hub) => {
  const grant = (body: object, token: string | null = ADMIN_TOKEN) =>
    hub.guest().post("/api/admin/pass", body, token ? { authorization: `Bearer ${token}` } : {});
  const read = (username: string, token = ADMIN_TOKEN) =>
    hub.guest().get(`/api/admin/pass?username=${username}`, { authorization: `Bearer ${token}` });
  const tierOf = async () => (await grantee.get("/api/me")).body.user.tier as string;
  let grantee: Awaited<ReturnType<TestHub["member"]>>;
  beforeAll(async () => {
    grantee = await hub.member("pia");
  });

  it("grants a pass for a number of days", async () => {
    const { status, body } = await grant({ username: "PIA", tier: "pro", days: 10 });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: expect.stringContaining("pia is pro until"),
      tier: "pro",
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    });
    expect(await tierOf()).toBe("pro");
    await hub.moveClock("10 days 1 second");
    expect(await tierOf()).toBe("free");
    await hub.moveClock("0");
  });

  it.each([
    ["2031-05-06 07:08:09", "2031-05-06 07:08:09"],
    ["2031-05-06T07:08:09Z", "2031-05-06 07:08:09"],
    ["2031-05-06T09:08:09+02:00", "2031-05-06 07:08:09"],
  ])("reads expires_at %s as %s UTC", async (expires_at, expected) => {
    expect((await grant({ username: "pia", tier: "vip", expires_at })).body.expires_at).toBe(
      expected,
    );
  });

  it("accepts a past expires_at as an expired pass", async () => {
    const past = await grant({ username: "pia", tier: "vip", expires_at: "2020-01-01 00:00:00" });
    expect(past.body.message).toContain("ran out 2020-01-01 00:00:00 UTC: pia is free");
    const { status, body } = await grantee.post("/api/chat", {});
    expect([status, body.error]).toEqual([403, "pass_expired"]);
  });

  it("revokes the pass with tier free", async () => {
    const { body } = await grant({ username: "pia", tier: "free" });
    expect([body.tier, body.expires_at]).toEqual(["free", null]);
    expect((await grantee.post("/api/chat", {})).body.error).toBe("pass_required");
  });

  it("returns the granted tier, the tier in effect and the quota", async () => {
    const expires_at = "2031-05-06 07:08:09";
    await grant({ username: "pia", tier: "pro", expires_at });
    const room = { session_token: "lobby", content: "Hello." };
    const { body: soul } = await grantee.post("/api/souls", { title: "T", content: "C" });
    await grantee.post("/api/chat", { ...room, soul_id: soul.id });
    const { body: own } = await grantee.get("/api/chat-quota");
    expect(own.quota).toMatchObject({ tier: "pro", daily_count: 1, daily_remaining: 999 });
    const pass = { success: true, username: "pia", tier: "pro", expires_at };
    expect((await read("Pia")).body).toEqual({
      ...pass,
      effective_tier: "pro",
      quota: own.quota,
    });

    await grant({ username: "pia", tier: "pro", expires_at: "2020-01-01 00:00:00" });
    expect((await read("pia")).body).toEqual({
      ...pass,
      effective_tier: "free",
      expires_at: "2020-01-01 00:00:00",
      quota: (await grantee.get("/api/chat-quota")).body.quota,
    });
    await grant({ username: "pia", tier: "free" });
    expect((await read("pia")).body).toMatchObject({ tier: "free", expires_at: null });
  });

  it("is 404 for the hub's own account", async () => {
    const ownAccount = { username: "soulhub", username_key: "soulhub" };
    await hub.hub.database.db.insertInto("accounts").values(ownAccount).execute();
    for (const answer of [
      await grant({ username: "soulhub", tier: "vip", days: 1 }),
      await read("soulhub"),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([404, "user_not_found"]);
    }
  });

  it("is 404 for an unknown user, and with any credential but ADMIN_TOKEN", async () => {
    const unknown = await read("no-such-user");
    expect([unknown.status, unknown.body.error]).toEqual([404, "user_not_found"]);
    for (const token of ["wrong-token", grantee.apiKey]) {
      const { status, body } = await read("pia", token);
      expect([status, body.error]).toEqual([404, "not_found"]);
    }
  });

  it.each([null, "wrong-token", "shk_000000000000000000000000000000000000"])(
    "is 404 with the token %s",
    async (token) => {
      const { status, body } = await grant({ username: "pia", tier: "vip", days: 1 }, token);
      expect([status, body.error]).toEqual([404, "not_found"]);
    },
  );

  it.each([
    [{ username: "pia", tier: "gold", days: 1 }, 400, "invalid_input"],
    [{ username: "pia", tier: "vip" }, 400, "invalid_input"],
    [
      { username: "pia", tier: "vip", days: 1, expires_at: "2031-01-01 00:00:00" },
      400,
      "invalid_input",
    ],
    [{ username: "pia", tier: "vip", days: 0 }, 400, "invalid_input"],
    [{ username: "pia", tier: "vip", expires_at: "soon" }, 400, "invalid_input"],
    [{ username: "pia", tier: "vip", expires_at: "2026-02-30 00:00:00" }, 400, "invalid_input"],
    [{ username: "pia", tier: "vip", expires_at: "0000-01-01" }, 400, "invalid_input"],
    [
      { username: "pia", tier: "vip", expires_at: "9999-12-31T23:59:59-23:59" },
      400,
      "invalid_input",
    ],
    [{ username: "pia", tier: "vip", expires_at: "2031-13-01 00:00:00" }, 400, "invalid_input"],
    [{ username: "no-such-user", tier: "vip", days: 1 }, 404, "user_not_found"],
  ])("responds to %j with %i %s", async (body, status, error) => {
    const answer = await grant(body);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});
