import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { eventually } from "../../testing/eventually.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { PASSWORD } from "../../testing/test-hub.ts";
import { type SignInHub, startSignInHub } from "../credentials.fixture.ts";

const NEW_PASSWORD = "a quieter battery";

describe("change-password", () => {
  const database = ruleDatabase();
  let hub: SignInHub;
  let unchanged: Actor;
  beforeAll(async () => {
    hub = await startSignInHub({ realPasswordCost: true });
    unchanged = await hub.member("unchanged");
  });
  afterAll(() => hub.close());

  const change = (actor: Actor, fields: object = {}) =>
    actor.post("/api/change-password", {
      current_password: PASSWORD,
      new_password: NEW_PASSWORD,
      confirm_password: NEW_PASSWORD,
      ...fields,
    });

  describe("POST /api/change-password", () => {
    it("replaces the password", async () => {
      const person = await hub.createMember();
      const { status, body } = await change(person);
      expect([status, body]).toEqual([200, { success: true, message: expect.any(String) }]);
      expect((await hub.signIn(person)).status).toBe(401);
      expect((await hub.signIn(person, NEW_PASSWORD)).status).toBe(200);
    });

    it("ends all sessions; the API key stays valid", async () => {
      const person = await hub.createMember();
      const browsers = [(await hub.signIn(person)).browser, (await hub.signIn(person)).browser];
      for (const browser of browsers) expect((await browser.get("/api/me")).status).toBe(200);
      await change(person);
      for (const browser of browsers) expect((await browser.get("/api/me")).status).toBe(401);
      expect((await person.get("/api/me")).status).toBe(200);
    });

    it("does not end sessions of other accounts", async () => {
      const [person, other] = [await hub.createMember(), await hub.createMember()];
      const { browser } = await hub.signIn(other);
      await change(person);
      expect((await browser.get("/api/me")).status).toBe(200);
    });

    it("disconnects subscriptions of ended sessions, not those of the API key", async () => {
      const person = await hub.createMember();
      const { browser } = await hub.signIn(person);
      await using onPage = await hub.subscribe(browser);
      await using byKey = await hub.subscribe(person);
      await change(person);
      await eventually(() => expect(onPage.endedBy).toBe("unauthenticated"));
      expect(byKey.endedBy).toBeUndefined();
    });

    it("accepts the current password in another Unicode normalization form", async () => {
      const composed = "caf\u00e9 au lait";
      const person = await hub.createMember();
      await change(person, { new_password: composed, confirm_password: composed.normalize("NFD") });
      const back = await change(person, { current_password: composed.normalize("NFD") });
      expect(back.status).toBe(200);
    });

    it.each<[string, object, number, string, string | undefined]>([
      [
        "a wrong current password",
        { current_password: "wrong password" },
        403,
        "wrong_password",
        undefined,
      ],
      [
        "a different confirmation",
        { confirm_password: PASSWORD },
        400,
        "invalid_input",
        "confirm_password",
      ],
      [
        "no confirmation",
        { confirm_password: undefined },
        400,
        "invalid_input",
        "confirm_password",
      ],
      [
        "the current password as the new one",
        { new_password: PASSWORD, confirm_password: PASSWORD },
        400,
        "invalid_input",
        "new_password",
      ],
      [
        "7 characters",
        { new_password: "seven77", confirm_password: "seven77" },
        400,
        "invalid_input",
        "new_password",
      ],
      [
        "129 characters",
        { new_password: "x".repeat(129), confirm_password: "x".repeat(129) },
        400,
        "invalid_input",
        "new_password",
      ],
      [
        "the username",
        { new_password: "UNCHANGED", confirm_password: "UNCHANGED" },
        400,
        "invalid_input",
        "new_password",
      ],
      [
        "the email",
        { new_password: "unchanged@example.org", confirm_password: "unchanged@example.org" },
        400,
        "invalid_input",
        "new_password",
      ],
      ["a number", { current_password: 5 }, 400, "invalid_input", "current_password"],
    ])("refuses %s without any effect", async (_, fields, status, error, field) => {
      const { browser } = await hub.signIn(unchanged);
      const answer = await change(unchanged, fields);
      expect([answer.status, answer.body.error]).toEqual([status, error]);
      expect(answer.body.details?.[0].field).toBe(field);
      expect((await browser.get("/api/me")).status).toBe(200);
      expect((await hub.signIn(unchanged)).status).toBe(200);
    });

    it("requires an API key on REST; tRPC accepts a session", async () => {
      const { browser } = await hub.signIn(await hub.createMember());
      expect((await change(hub.guest())).status).toBe(401);
      expect((await change(browser)).status).toBe(401);
      const page = await browser.post("/trpc/accounts.changePassword", {
        current_password: PASSWORD,
        new_password: NEW_PASSWORD,
        confirm_password: NEW_PASSWORD,
      });
      expect(page.status).toBe(200);
      expect(browser.cookies.has("soulhub_session")).toBe(false);
    });

    it("lets one of two concurrent changes succeed", async () => {
      const person = await hub.createMember();
      const given = ["first new password", "second new password"];
      const answers = await Promise.all(
        given.map((text) => change(person, { new_password: text, confirm_password: text })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      const winner = given[answers[0]?.status === 200 ? 0 : 1];
      expect((await hub.signIn(person, winner)).status).toBe(200);
    });

    it("ends sessions that concurrent logins start with the old password", async () => {
      const person = await hub.createMember();
      let isDone = false;
      const changing = change(person).finally(() => {
        isDone = true;
      });
      const signedIn: Awaited<ReturnType<SignInHub["signIn"]>>[] = [];
      // Eight workers log in again and again, so that password checks run while the password
      // changes.
      const keepSigningIn = async () => {
        while (!isDone) signedIn.push(await hub.signIn(person));
      };
      await Promise.all(Array.from({ length: 8 }, keepSigningIn));
      expect((await changing).status).toBe(200);
      for (const { browser } of signedIn) {
        expect((await browser.get("/api/me")).status).toBe(401);
      }
    });

    // PGlite skips the next test: that test's transaction occupies PGlite's only connection, so no
    // login could run.
    if (database === "pglite") return;
    it("blocks a concurrent login until the change is committed", async () => {
      const person = await hub.createMember();
      const { browser, status } = await hub.hub.database.db
        .transaction()
        .execute(async (tx) => {
          await tx
            .updateTable("accounts")
            .set({ password_hash: "another" })
            .where("username", "=", person.name)
            .execute();
          const login = hub.signIn(person);
          await setTimeout(500);
          return { login };
        })
        .then(({ login }) => login);
      expect([status, browser.cookies.size]).toEqual([401, 0]);
    });
  });
});
