import { beforeAll, describe, expect, it } from "vitest";
import { sweepExpired } from "../tables/expired-rows.ts";
import type { Actor } from "../testing/actor.ts";
import { describeHub } from "../testing/describe-chat.ts";
import { PASSWORD } from "../testing/test-hub.ts";

describeHub("accounts", { realPasswordCost: true }, (hub) => {
  let ada: Actor;
  beforeAll(async () => {
    ada = await hub.member("ada");
  });
  const signIn = async () => {
    const browser = hub.guest();
    const login = { username: "ada", password: PASSWORD, remember: true };
    return { browser, ...(await browser.post("/api/login", login)) };
  };

  const registration = (changes: object = {}) => ({
    username: "Grace",
    password: PASSWORD,
    email: "Grace@Example.org",
    ...changes,
  });

  describe("POST /api/register", () => {
    it("creates an account and issues its API key", async () => {
      const { status, body } = await hub
        .guest()
        .post("/api/register", registration({ username: "Hopper" }));
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        message: expect.any(String),
        api_key: expect.stringMatching(/^shk_[0-9A-Za-z]{36}$/),
      });
    });

    it("sets no cookie", async () => {
      const { headers } = await hub
        .guest()
        .post("/api/register", registration({ username: "nina" }));
      expect(headers.getSetCookie()).toEqual([]);
    });

    it.each(["Grace", "grace", "GRACE"])(
      "refuses the taken name %s, regardless of case",
      async (username) => {
        await hub.guest().post("/api/register", registration());
        const { status, body } = await hub
          .guest()
          .post("/api/register", registration({ username }));
        expect([status, body.error]).toEqual([409, "username_taken"]);
      },
    );

    it.each(["admin", "API", "SoulHub", "null", "ghost", "deleted"])(
      "refuses the reserved name %s like a taken one",
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
    ])("refuses %s = %j and names the field in details", async (field, value) => {
      const { status, body } = await hub
        .guest()
        .post("/api/register", registration({ username: "fresh-name", [field]: value }));
      expect([status, body.error]).toEqual([400, "invalid_input"]);
      expect(body.details.map((detail: { field: string }) => detail.field)).toContain(field);
    });

    it("measures a password in code points, not in bytes or UTF-16 units", async () => {
      const eight = await hub
        .guest()
        .post("/api/register", registration({ username: "emoji-eight", password: "🔑".repeat(8) }));
      const seven = await hub
        .guest()
        .post("/api/register", registration({ username: "emoji-seven", password: "🔑".repeat(7) }));
      expect([eight.status, seven.status]).toEqual([200, 400]);
    });

    it("lets one of two concurrent registrations of a name succeed", async () => {
      const answers = await Promise.all(
        ["Twin", "twin"].map((username) =>
          hub.guest().post("/api/register", registration({ username })),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });

  describe("POST /api/login", () => {
    it("returns the API key, regardless of the case of the username", async () => {
      const { body } = await hub
        .guest()
        .post("/api/login", { username: "ADA", password: PASSWORD });
      expect(body).toEqual({ success: true, message: expect.any(String), api_key: ada.apiKey });
    });

    it("accepts the password in another Unicode normalization form", async () => {
      const browser = hub.guest();
      const composed = "caf\u00e9 au lait";
      await browser.post("/api/register", registration({ username: "zoe", password: composed }));
      const { status } = await browser.post("/api/login", {
        username: "zoe",
        password: composed.normalize("NFD"),
      });
      expect(status).toBe(200);
    });

    it("responds identically to a wrong password and an unknown username", async () => {
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

    it("sets a session cookie for 30 days only with remember", async () => {
      const browser = hub.guest();
      const unremembered = await browser.post("/api/login", {
        username: "ada",
        password: PASSWORD,
      });
      expect(unremembered.headers.getSetCookie()).toEqual([]);
      const { browser: remembered, headers } = await signIn();
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^soulhub_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
        ),
      ]);
      expect((await remembered.get("/api/me")).body.user.username).toBe("ada");
    });

    it("expires the session after 30 days and clears its cookie", async () => {
      const { browser } = await signIn();
      await hub.moveClock("29 days");
      expect((await browser.get("/api/me")).status).toBe(200);
      await hub.moveClock("31 days");
      const { status, headers } = await browser.get("/api/me");
      await hub.moveClock("0");
      expect(status).toBe(401);
      expect(headers.getSetCookie()).toEqual([expect.stringContaining("Max-Age=0")]);
    });
  });

  it("sweeps expired sessions only", async () => {
    const count = async () =>
      (await hub.hub.database.db.selectFrom("sessions").select("token_hash").execute()).length;
    await signIn();
    const before = await count();
    await sweepExpired(hub.hub.database.db, "sessions");
    expect(await count()).toBe(before);
    await hub.moveClock("31 days");
    await sweepExpired(hub.hub.database.db, "sessions");
    await hub.moveClock("0");
    expect(await count()).toBe(0);
  });

  describe("POST /api/logout", () => {
    it("ends the session, so that a copy of the cookie is useless", async () => {
      const { browser } = await signIn();
      const copy = browser.cookies.get("soulhub_session") ?? "";
      expect((await browser.post("/api/logout")).status).toBe(200);
      const { status } = await hub.guest().get("/api/me", { cookie: `soulhub_session=${copy}` });
      expect(status).toBe(401);
    });

    it("succeeds without a session", async () => {
      expect((await hub.guest().post("/api/logout")).status).toBe(200);
    });
  });

  describe("GET /api/me", () => {
    it("returns the account with the tier in effect by the database clock", async () => {
      const owner = await hub.vip("vera");
      const { body } = await owner.get("/api/me");
      expect(body.user).toEqual({
        username: "vera",
        email: "vera@example.org",
        wallet: null,
        wallet_verified: false,
        role: "member",
        moderation: null,
        deletes_at: null,
        passkeys: 0,
        unread_notices: 0,
        tier: "vip",
        email_verified: false,
        pass_expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      });
      await hub.moveClock("31 days");
      expect((await owner.get("/api/me")).body.user.tier).toBe("free");
      await hub.moveClock("0");
    });
  });

  describe("secrets", () => {
    it("are never stored in clear", async () => {
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

    it("are never logged", async () => {
      const owner = await hub.member("quiet");
      await owner.post("/api/login", { username: "quiet", password: PASSWORD, remember: true });
      const log = hub.log.join("");
      for (const secret of [owner.apiKey, PASSWORD, owner.cookies.get("soulhub_session") ?? "?"]) {
        expect(log).not.toContain(secret);
      }
    });
  });
});
