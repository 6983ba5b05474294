import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabases } from "../testing/test-database.ts";
import { PASSWORD, startTestHub, type TestHub } from "../testing/test-hub.ts";
import { sweepSessions } from "./session.service.ts";

describe.each(testDatabases())("accounts on %s", (database) => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub({ database });
  });
  afterAll(() => hub.close());

  const registration = (changes: object = {}) => ({
    username: "Grace",
    password: PASSWORD,
    email: "Grace@Example.org",
    ...changes,
  });

  describe("POST /api/register", () => {
    it("creates an account and issues its API key", async () => {
      const { status, body } = await hub.guest().post("/api/register", registration());
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        message: expect.any(String),
        api_key: expect.stringMatching(/^shk_[0-9A-Za-z]{36}$/),
      });
    });

    it("sets no cookie: REST keeps no session unless asked", async () => {
      const { headers } = await hub
        .guest()
        .post("/api/register", registration({ username: "nina" }));
      expect(headers.getSetCookie()).toEqual([]);
    });

    it.each(["Grace", "grace", "GRACE"])(
      "refuses the taken name %s, case ignored",
      async (username) => {
        const { status, body } = await hub
          .guest()
          .post("/api/register", registration({ username }));
        expect([status, body.error]).toEqual([409, "username_taken"]);
      },
    );

    it.each(["admin", "API", "SoulHub", "null"])(
      "answers the reserved name %s like a taken one",
      async (username) => {
        const { status, body } = await hub
          .guest()
          .post("/api/register", registration({ username }));
        expect([status, body.error]).toEqual([409, "username_taken"]);
      },
    );

    it.each([
      ["username", "ab"],
      ["username", "-abc"],
      ["username", "abc-"],
      ["username", "a b c"],
      ["username", "ädä"],
      ["username", "a".repeat(33)],
      ["username", 7],
      ["username", null],
      ["email", "nobody"],
      ["email", `${"a".repeat(250)}@b.org`],
      ["password", "seven77"],
      ["password", "x".repeat(129)],
      ["password", "\u0000".repeat(8)],
      ["password", "Grace@Example.org"],
    ])("refuses %s %j and names the field", async (field, value) => {
      const { status, body } = await hub
        .guest()
        .post("/api/register", registration({ username: "fresh-name", [field]: value }));
      expect([status, body.error]).toEqual([400, "invalid_input"]);
      expect(body.details.map((detail: { field: string }) => detail.field)).toContain(field);
    });

    it("counts the characters of a password, not its bytes or UTF-16 units", async () => {
      const eight = await hub
        .guest()
        .post("/api/register", registration({ username: "emoji-eight", password: "🔑".repeat(8) }));
      const seven = await hub
        .guest()
        .post("/api/register", registration({ username: "emoji-seven", password: "🔑".repeat(7) }));
      expect([eight.status, seven.status]).toEqual([200, 400]);
    });

    it("gives one of two who register a name at once the name, the other 409", async () => {
      const answers = await Promise.all(
        ["Twin", "twin"].map((username) =>
          hub.guest().post("/api/register", registration({ username })),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });

  describe("POST /api/login", () => {
    it("returns the same API key again, whatever the name's case", async () => {
      const ada = await hub.member("ada");
      const { body } = await hub
        .guest()
        .post("/api/login", { username: "ADA", password: PASSWORD });
      expect(body).toEqual({ success: true, message: expect.any(String), api_key: ada.apiKey });
    });

    it("takes a password typed in another Unicode form", async () => {
      const browser = hub.guest();
      const composed = "caf\u00e9 au lait";
      await browser.post("/api/register", registration({ username: "zoe", password: composed }));
      const { status } = await browser.post("/api/login", {
        username: "zoe",
        password: composed.normalize("NFD"),
      });
      expect(status).toBe(200);
    });

    it("says the same of a wrong password and of an unknown user", async () => {
      const wrong = await hub
        .guest()
        .post("/api/login", { username: "ada", password: "wrong password" });
      const unknown = await hub
        .guest()
        .post("/api/login", { username: "nobody-here", password: "wrong password" });
      expect([wrong.status, unknown.status]).toEqual([401, 401]);
      expect({ ...wrong.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
      expect(wrong.body.error).toBe("wrong_credentials");
    });

    it("sets a session cookie for 30 days with remember, and none without", async () => {
      const browser = hub.guest();
      const forgetful = await browser.post("/api/login", { username: "ada", password: PASSWORD });
      expect(forgetful.headers.getSetCookie()).toEqual([]);
      const { headers } = await browser.post("/api/login", {
        username: "ada",
        password: PASSWORD,
        remember: true,
      });
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^soulhub_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
        ),
      ]);
      expect((await browser.get("/api/me")).body.user.username).toBe("ada");
    });

    it("ends the session after 30 days and clears the stale cookie", async () => {
      const browser = hub.guest();
      await browser.post("/api/login", { username: "ada", password: PASSWORD, remember: true });
      await hub.moveClock("29 days");
      expect((await browser.get("/api/me")).status).toBe(200);
      await hub.moveClock("31 days");
      const { status, headers } = await browser.get("/api/me");
      await hub.moveClock("0");
      expect(status).toBe(401);
      expect(headers.getSetCookie()).toEqual([expect.stringContaining("Max-Age=0")]);
    });
  });

  it("sweeps sessions that have run out, and no others", async () => {
    const count = async () =>
      (await hub.hub.database.db.selectFrom("sessions").select("token_hash").execute()).length;
    const browser = hub.guest();
    await browser.post("/api/login", { username: "ada", password: PASSWORD, remember: true });
    const before = await count();
    await sweepSessions(hub.hub.database.db);
    expect(await count()).toBe(before);
    await hub.moveClock("31 days");
    await sweepSessions(hub.hub.database.db);
    await hub.moveClock("0");
    expect(await count()).toBe(0);
  });

  describe("POST /api/logout", () => {
    it("ends the session, also for whoever kept a copy of the cookie", async () => {
      const browser = hub.guest();
      await browser.post("/api/login", { username: "ada", password: PASSWORD, remember: true });
      const copy = browser.cookies.get("soulhub_session") ?? "";
      expect((await browser.post("/api/logout")).status).toBe(200);
      const { status } = await hub.guest().get("/api/me", { cookie: `soulhub_session=${copy}` });
      expect(status).toBe(401);
    });

    it("is harmless without a session", async () => {
      expect((await hub.guest().post("/api/logout")).status).toBe(200);
    });
  });

  describe("GET /api/me", () => {
    it("tells the account its tier, as it is by the database clock", async () => {
      const owner = await hub.vip("vera");
      const { body } = await owner.get("/api/me");
      expect(body.user).toEqual({
        username: "vera",
        email: "vera@example.org",
        wallet: null,
        wallet_verified: false,
        tier: "vip",
        pass_expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      });
      await hub.moveClock("31 days");
      expect((await owner.get("/api/me")).body.user.tier).toBe("free");
      await hub.moveClock("0");
    });
  });

  describe("a secret at rest", () => {
    it("is never stored in clear", async () => {
      const owner = await hub.member("sealed");
      const row = await hub.hub.database.db
        .selectFrom("accounts")
        .selectAll()
        .where("username_key", "=", "sealed")
        .executeTakeFirstOrThrow();
      const stored = JSON.stringify(row);
      expect(stored).not.toContain(owner.apiKey);
      expect(stored).not.toContain(PASSWORD);
      expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    });

    it("is never logged", async () => {
      const owner = await hub.member("quiet");
      await owner.post("/api/login", { username: "quiet", password: PASSWORD, remember: true });
      const log = hub.log.join("");
      for (const secret of [owner.apiKey, PASSWORD, owner.cookies.get("soulhub_session") ?? "?"]) {
        expect(log).not.toContain(secret);
      }
    });
  });
});
