import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { eventually } from "../testing/eventually.ts";
import { testDatabases } from "../testing/test-database.ts";
import { PASSWORD } from "../testing/test-hub.ts";
import { type ListeningHub, startListeningHub } from "./credentials.fixture.ts";

describe.each(testDatabases())("credentials that end on %s", (database) => {
  let hub: ListeningHub;
  beforeAll(async () => {
    hub = await startListeningHub(database);
  });
  afterAll(() => hub.close());

  const rotate = (actor: Actor) => actor.post("/api/api-key/rotate");
  const withKey = (apiKey: string) =>
    hub.guest().get("/api/me", { authorization: `Bearer ${apiKey}` });

  describe("POST /api/api-key/rotate", () => {
    it("answers a new key; the old one dies at once, sessions stay", async () => {
      const person = await hub.newcomer();
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

    it("is the key that login shows from then on", async () => {
      const person = await hub.newcomer();
      const { body } = await rotate(person);
      const login = await hub
        .guest()
        .post("/api/login", { username: person.name, password: PASSWORD });
      expect(login.body.api_key).toBe(body.api_key);
    });

    it("ends what the old key listens to, at once", async () => {
      const person = await hub.newcomer();
      const { browser } = await hub.signIn(person);
      await using byKey = await hub.listen(person);
      await using onPage = await hub.listen(browser);
      await rotate(person);
      await eventually(() => expect(byKey.endedBy).toBe("unauthenticated"));
      expect(onPage.endedBy).toBeUndefined();
    });

    it("needs the key: nobody, the old key and a session alone are 401", async () => {
      const person = await hub.newcomer();
      const { browser } = await hub.signIn(person);
      await rotate(person);
      for (const actor of [hub.guest(), person, browser]) {
        expect((await rotate(actor)).status).toBe(401);
      }
    });

    it("asks a session for the password, where one will do (tRPC)", async () => {
      const person = await hub.newcomer();
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

  describe("POST /api/logout", () => {
    it("ends what this browser still listens to, at once, and nothing else", async () => {
      const person = await hub.newcomer();
      const [{ browser }, { browser: other }] = [
        await hub.signIn(person),
        await hub.signIn(person),
      ];
      await using here = await hub.listen({ apiKey: "", cookies: new Map(browser.cookies) });
      await using elsewhere = await hub.listen(other);
      await browser.post("/api/logout");
      await eventually(() => expect(here.endedBy).toBe("unauthenticated"));
      expect(elsewhere.endedBy).toBeUndefined();
    });
  });
});
