import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { testDatabases } from "../testing/test-database.ts";
import { type SignInHub, startSignInHub } from "./credentials.fixture.ts";

describe.each(testDatabases())("sessions on %s", (database) => {
  let hub: SignInHub;
  beforeAll(async () => {
    hub = await startSignInHub(database);
  });
  afterAll(() => hub.close());

  describe("GET and DELETE /api/sessions", () => {
    it("lists the sessions and marks the current one", async () => {
      const person = await hub.createMember();
      expect((await person.get("/api/sessions")).body.sessions).toEqual([]);
      const { browser } = await hub.signIn(person);
      await hub.signIn(person);
      const { status, body } = await browser.get("/api/sessions");
      expect(status).toBe(200);
      const flags = (body.sessions as { current: boolean }[]).map(({ current }) => current);
      expect(flags.toSorted()).toEqual([false, true]);
    });

    it("ends the other sessions and disconnects their subscriptions", async () => {
      const [person, other] = [await hub.createMember(), await hub.createMember()];
      const [mine, ended] = [
        (await hub.signIn(person)).browser,
        (await hub.signIn(person)).browser,
      ];
      const { browser: neighbour } = await hub.signIn(other);
      await using mineEvents = await hub.subscribe(mine);
      await using endedEvents = await hub.subscribe(ended);
      const { status } = await mine.delete("/api/sessions");
      expect(status).toBe(200);
      await eventually(() => expect(endedEvents.endedBy).toBe("unauthenticated"));
      expect(mineEvents.endedBy).toBeUndefined();
      expect((await ended.get("/api/me")).status).toBe(401);
      expect((await mine.get("/api/me")).status).toBe(200);
      expect((await neighbour.get("/api/me")).status).toBe(200);
    });

    it("ends every session if called with an API key", async () => {
      const person = await hub.createMember();
      const { browser } = await hub.signIn(person);
      await person.delete("/api/sessions");
      expect((await browser.get("/api/me")).status).toBe(401);
      expect((await person.get("/api/me")).status).toBe(200);
    });
  });

  describe("POST /api/logout", () => {
    it("disconnects the subscriptions of this session only", async () => {
      const person = await hub.createMember();
      const [{ browser }, { browser: other }] = [
        await hub.signIn(person),
        await hub.signIn(person),
      ];
      await using here = await hub.subscribe({ apiKey: "", cookies: new Map(browser.cookies) });
      await using elsewhere = await hub.subscribe(other);
      await browser.post("/api/logout");
      await eventually(() => expect(here.endedBy).toBe("unauthenticated"));
      expect(elsewhere.endedBy).toBeUndefined();
    });
  });
});
