import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { eventually } from "../testing/eventually.ts";
import { PASSWORD } from "../testing/test-hub.ts";
import { type SignInHub, startSignInHub } from "./credentials.fixture.ts";

describe("sessions", () => {
  let hub: SignInHub;
  beforeAll(async () => {
    hub = await startSignInHub();
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

  describe("DELETE /api/sessions/{id}", () => {
    type Row = { id: string; current: boolean; label: string | null; last_used_at: string };
    const rowsOf = async (browser: Pick<Actor, "get">): Promise<Row[]> =>
      (await browser.get("/api/sessions")).body.sessions;

    it("ends that session and its subscriptions alone", async () => {
      const person = await hub.createMember();
      const [{ browser: mine }, { browser: ended }] = [
        await hub.signIn(person),
        await hub.signIn(person),
      ];
      await using mineEvents = await hub.subscribe(mine);
      await using endedEvents = await hub.subscribe(ended);
      const other = (await rowsOf(mine)).find(({ current }) => !current);
      expect((await mine.delete(`/api/sessions/${other?.id}`)).status).toBe(200);
      await eventually(() => expect(endedEvents.endedBy).toBe("unauthenticated"));
      expect(mineEvents.endedBy).toBeUndefined();
      expect((await ended.get("/api/me")).status).toBe(401);
      expect((await mine.delete(`/api/sessions/${other?.id}`)).body.error).toBe(
        "session_not_found",
      );
    });

    it("ends no session of another account", async () => {
      const [{ browser }, { browser: thief }] = [
        await hub.signIn(await hub.createMember()),
        await hub.signIn(await hub.createMember()),
      ];
      const [row] = await rowsOf(browser);
      expect((await thief.delete(`/api/sessions/${row?.id}`)).status).toBe(404);
      expect((await browser.get("/api/me")).status).toBe(200);
    });

    it("ends the own session with its cookie", async () => {
      const { browser } = await hub.signIn(await hub.createMember());
      const [row] = await rowsOf(browser);
      await browser.delete(`/api/sessions/${row?.id}`);
      expect(browser.cookies.size).toBe(0);
    });

    it("is told the browser and the hour of the last use, and nothing finer", async () => {
      const person = await hub.createMember();
      const browser = hub.guest();
      const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0";
      const login = { username: person.name, password: PASSWORD, remember: true };
      await browser.post("/api/login", login, { "user-agent": agent });
      const [row] = await rowsOf(browser);
      expect(row?.label).toBe("Firefox on Linux");
      expect(row?.last_used_at).toMatch(/ \d\d:00:00$/);
      await hub.moveClock("2 hours");
      await browser.get("/api/me");
      await eventually(async () =>
        expect((await rowsOf(browser))[0]?.last_used_at).not.toBe(row?.last_used_at),
      );
      expect((await rowsOf(browser))[0]?.last_used_at).toMatch(/ \d\d:00:00$/);
      await hub.moveClock("0 hours");
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

    it("answers when the session has ended", async () => {
      const { browser } = await hub.signIn(await hub.createMember());
      const cookie = `soulhub_session=${browser.cookies.get("soulhub_session")}`;
      const executor = hub.hub.database.db.getExecutor();
      const execute = executor.executeQuery.bind(executor);
      const queries = vi.spyOn(executor, "executeQuery").mockImplementation(async (query) => {
        if (query.sql.startsWith('delete from "sessions"')) await delay(50);
        return execute(query);
      });
      await browser.post("/api/logout");
      expect((await hub.guest().get("/api/me", { cookie })).status).toBe(401);
      queries.mockRestore();
    });
  });
});
