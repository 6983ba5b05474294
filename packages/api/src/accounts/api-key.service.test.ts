import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { eventually } from "../testing/eventually.ts";
import { PASSWORD } from "../testing/test-hub.ts";
import { type SignInHub, startSignInHub } from "./credentials.fixture.ts";

describe("API keys", () => {
  let hub: SignInHub;
  beforeAll(async () => {
    hub = await startSignInHub();
  });
  afterAll(() => hub.close());

  const rotate = (actor: Actor) => actor.post("/api/api-key/rotate");
  const withKey = (apiKey: string) =>
    hub.guest().get("/api/me", { authorization: `Bearer ${apiKey}` });

  describe("POST /api/api-key/rotate", () => {
    it("issues a new key; the old one stops working, sessions stay valid", async () => {
      const person = await hub.createMember();
      const { browser } = await hub.signIn(person);
      const { status, body } = await rotate(person);
      expect([status, body]).toEqual([
        200,
        {
          success: true,
          message: expect.any(String),
          api_key: expect.stringMatching(/^shk_[0-9A-Za-z]{36}$/),
        },
      ]);
      expect((await withKey(person.apiKey)).status).toBe(401);
      expect((await withKey(body.api_key)).body.user.username).toBe(person.name);
      expect((await browser.get("/api/me")).status).toBe(200);
    });

    it("makes login return the new key", async () => {
      const person = await hub.createMember();
      const { body } = await rotate(person);
      const login = await hub
        .guest()
        .post("/api/login", { username: person.name, password: PASSWORD });
      expect(login.body.api_key).toBe(body.api_key);
    });

    it("disconnects the subscriptions of the old key", async () => {
      const person = await hub.createMember();
      const { browser } = await hub.signIn(person);
      await using byKey = await hub.subscribe(person);
      await using onPage = await hub.subscribe(browser);
      await rotate(person);
      await eventually(() => expect(byKey.endedBy).toBe("unauthenticated"));
      expect(onPage.endedBy).toBeUndefined();
    });

    it("is 401 without a key, with the old key and with a session", async () => {
      const person = await hub.createMember();
      const { browser } = await hub.signIn(person);
      await rotate(person);
      for (const actor of [hub.guest(), person, browser]) {
        expect((await rotate(actor)).status).toBe(401);
      }
    });

    it("requires the password from a session over tRPC", async () => {
      const person = await hub.createMember();
      const { browser } = await hub.signIn(person);
      const onPage = (input: object) => browser.post("/trpc/accounts.rotateApiKey", input);
      const missing = (await onPage({})).body.error.data;
      expect([missing.error, missing.details]).toEqual([
        "invalid_input",
        [{ field: "password", message: "is required" }],
      ]);
      const wrong = await onPage({ password: "not this one" });
      expect([wrong.status, wrong.body.error.data.error]).toEqual([403, "wrong_password"]);
      expect((await withKey(person.apiKey)).status).toBe(200);
      const { body } = await onPage({ password: PASSWORD });
      expect((await withKey(person.apiKey)).status).toBe(401);
      expect((await withKey(body.result.data.api_key)).status).toBe(200);
    });
  });

  describe("POST /api/api-key", () => {
    it("returns the key for the right password", async () => {
      const person = await hub.createMember();
      const { status, body } = await person.post("/api/api-key", { password: PASSWORD });
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, message: expect.any(String), api_key: person.apiKey });
    });

    it("refuses a wrong password, a session and a guest", async () => {
      const person = await hub.createMember();
      const { browser } = await hub.signIn(person);
      const outcomeOf = async (actor: typeof person, password = PASSWORD) => {
        const { status, body } = await actor.post("/api/api-key", { password });
        return [status, body.error, body.api_key];
      };
      expect(await outcomeOf(person, "not this one")).toEqual([403, "wrong_password", undefined]);
      expect(await outcomeOf(browser)).toEqual([401, "unauthenticated", undefined]);
      expect(await outcomeOf(hub.guest())).toEqual([401, "unauthenticated", undefined]);
    });
  });

  describe("a stored API key that cannot be decrypted", () => {
    const damage = ({ name }: Actor) =>
      hub.hub.database.db
        .updateTable("accounts")
        .set({ api_key_sealed: "v1.gone.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA" })
        .where("username", "=", name)
        .execute();
    const statusOf = async (apiKey: string) =>
      (await hub.guest().get("/api/me", { authorization: `Bearer ${apiKey}` })).status;

    it("is replaced once by concurrent logins", async () => {
      const person = await hub.createMember();
      await damage(person);
      const login = { username: person.name, password: PASSWORD };
      const wrong = await hub.guest().post("/api/login", { ...login, password: "not this one" });
      expect(wrong.status).toBe(401);
      expect(await statusOf(person.apiKey)).toBe(200);
      const answers = await Promise.all([1, 2, 3].map(() => hub.guest().post("/api/login", login)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const [fresh = "", ...others] = new Set(answers.map(({ body }) => body.api_key as string));
      expect(others).toEqual([]);
      expect([await statusOf(fresh), await statusOf(person.apiKey)]).toEqual([200, 401]);
      const log = hub.log.join("");
      expect(log).toContain("A stored API key cannot be decrypted; replacing it");
      expect(log).not.toContain(fresh);
    });

    it("is replaced by POST /api/api-key", async () => {
      const person = await hub.createMember();
      await damage(person);
      const { status, body } = await person.post("/api/api-key", { password: PASSWORD });
      expect(status).toBe(200);
      expect([await statusOf(body.api_key), await statusOf(person.apiKey)]).toEqual([200, 401]);
    });
  });
});
