import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { eventually } from "../testing/eventually.ts";
import { testDatabases } from "../testing/test-database.ts";
import { PASSWORD } from "../testing/test-hub.ts";
import { type ListeningHub, startListeningHub } from "./credentials.fixture.ts";

describe.each(testDatabases())("one's own credentials on %s", (database) => {
  let hub: ListeningHub;
  beforeAll(async () => {
    hub = await startListeningHub(database);
  });
  afterAll(() => hub.close());

  describe("POST /api/api-key", () => {
    it("shows the key again to whoever knows the password", async () => {
      const person = await hub.newcomer();
      const { status, body } = await person.post("/api/api-key", { password: PASSWORD });
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, message: expect.any(String), api_key: person.apiKey });
    });

    it("shows nothing for a wrong password, to a cookie alone or to nobody", async () => {
      const person = await hub.newcomer();
      const { browser } = await hub.signIn(person);
      const asked = async (actor: typeof person, password = PASSWORD) => {
        const { status, body } = await actor.post("/api/api-key", { password });
        return [status, body.error, body.api_key];
      };
      expect(await asked(person, "not this one")).toEqual([403, "wrong_password", undefined]);
      expect(await asked(browser)).toEqual([401, "unauthenticated", undefined]);
      expect(await asked(hub.guest())).toEqual([401, "unauthenticated", undefined]);
    });
  });

  describe("an API key that can't be opened any more", () => {
    const damage = ({ name }: Actor) =>
      hub.hub.database.db
        .updateTable("accounts")
        .set({ api_key_sealed: "v1.gone.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA" })
        .where("username", "=", name)
        .execute();
    const statusOf = async (apiKey: string) =>
      (await hub.guest().get("/api/me", { authorization: `Bearer ${apiKey}` })).status;

    it("is replaced when its owner signs in, however many times at once", async () => {
      const person = await hub.newcomer();
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
      expect(log).toContain("a stored API key can't be opened and is replaced");
      expect(log).not.toContain(fresh);
    });

    it("is replaced when its owner asks to see it", async () => {
      const person = await hub.newcomer();
      await damage(person);
      const { status, body } = await person.post("/api/api-key", { password: PASSWORD });
      expect(status).toBe(200);
      expect([await statusOf(body.api_key), await statusOf(person.apiKey)]).toEqual([200, 401]);
    });
  });

  describe("GET and DELETE /api/sessions", () => {
    it("lists the browsers that are signed in and says which one asks", async () => {
      const person = await hub.newcomer();
      expect((await person.get("/api/sessions")).body.sessions).toEqual([]);
      const { browser } = await hub.signIn(person);
      await hub.signIn(person);
      const { status, body } = await browser.get("/api/sessions");
      expect(status).toBe(200);
      const flags = (body.sessions as { current: boolean }[]).map(({ current }) => current);
      expect(flags.toSorted()).toEqual([false, true]);
    });

    it("ends all but the asking one, with what they listen to", async () => {
      const [person, other] = [await hub.newcomer(), await hub.newcomer()];
      const [mine, lost] = [(await hub.signIn(person)).browser, (await hub.signIn(person)).browser];
      const { browser: neighbour } = await hub.signIn(other);
      await using stays = await hub.listen(mine);
      await using ends = await hub.listen(lost);
      const { status } = await mine.delete("/api/sessions");
      expect(status).toBe(200);
      await eventually(() => expect(ends.endedBy).toBe("unauthenticated"));
      expect(stays.endedBy).toBeUndefined();
      expect((await lost.get("/api/me")).status).toBe(401);
      expect((await mine.get("/api/me")).status).toBe(200);
      expect((await neighbour.get("/api/me")).status).toBe(200);
    });

    it("ends every one when a key asks", async () => {
      const person = await hub.newcomer();
      const { browser } = await hub.signIn(person);
      await person.delete("/api/sessions");
      expect((await browser.get("/api/me")).status).toBe(401);
      expect((await person.get("/api/me")).status).toBe(200);
    });
  });
});
