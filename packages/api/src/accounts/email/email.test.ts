import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { PASSWORD, startTestHub } from "../../testing/test-hub.ts";
import { type MailHub, startMailHub } from "./mail-hub.fixture.ts";

const VERIFY = "Verify your address";
const NEW_ADDRESS = "Use this address for your account";
const CHANGING = "The address of your account is changing";
const invalid = [400, "token_invalid"];

/** Verified and changed addresses (0059). */
describe("the address of an account", () => {
  let hub: MailHub;
  let ada: Actor;
  let old: string;
  beforeAll(async () => {
    hub = await startMailHub();
  });
  beforeEach(async () => {
    await hub.moveClock("0 days");
    ada = await hub.createMember();
    old = `${ada.name}@example.org`;
  });
  afterAll(() => hub.close());

  const me = async () => (await ada.get("/api/me")).body.user;
  const use = (token: string) => hub.guest().post("/api/verify-email", { token });
  const change = (email: string, more: object = { password: PASSWORD }, by = ada) =>
    by.post("/api/change-email", { email, ...more });

  it("is verified by the link that registering mails", async () => {
    expect(await me()).toMatchObject({ email: old, email_verified: false });
    const { token, links } = await hub.mailTo(old, VERIFY);
    expect(links[0]).toBe(`${hub.url}/verify-email#${token}`);
    expect((await use(token)).status).toBe(200);
    expect(await me()).toMatchObject({ email: old, email_verified: true });
    expect(failureOf(await use(token))).toEqual(invalid);
    expect((await ada.post("/api/verify-email/send")).status).toBe(200);
    expect(hub.bySubject(old, VERIFY)).toHaveLength(1);
  });

  it("is verified by the newest link, within 24 hours", async () => {
    const { token: first } = await hub.mailTo(old, VERIFY);
    await ada.post("/api/verify-email/send");
    const { token } = await hub.mailTo(old, VERIFY, 2);
    expect(failureOf(await use(first))).toEqual(invalid);
    await hub.moveClock("25 hours");
    expect(failureOf(await use(token))).toEqual(invalid);
    await hub.moveClock("23 hours");
    expect((await use(token)).status).toBe(200);
  });

  it("is changed by a link to the new address, and not before", async () => {
    const { token: former } = await hub.mailTo(old, VERIFY);
    const wanted = `New.${ada.name}@Example.org`;
    expect((await change(wanted)).status).toBe(200);
    expect((await me()).email).toBe(old);
    const { token } = await hub.mailTo(wanted.toLowerCase(), NEW_ADDRESS);
    const look = () => hub.guest().post("/api/account-link", { token });
    const seen = { purpose: "change-email", username: ada.name, email: wanted.toLowerCase() };
    for (const _ of [1, 2]) expect((await look()).body).toMatchObject(seen);
    expect((await use(token)).status).toBe(200);
    expect(failureOf(await look())).toEqual(invalid);
    expect(await me()).toMatchObject({ email: wanted.toLowerCase(), email_verified: true });
    // The link to the former address may not bring it back.
    expect(failureOf(await use(former))).toEqual(invalid);
  });

  it("is taken back by the link to the old address, which ends all sessions", async () => {
    await change("thief@example.org");
    await use((await hub.mailTo("thief@example.org", NEW_ADDRESS)).token);
    const { browser } = await hub.signIn(ada);
    await using listening = await hub.subscribe(browser);
    const { token } = await hub.mailTo(old, CHANGING);
    await hub.moveClock("167 hours");
    expect((await use(token)).status).toBe(200);
    expect(await me()).toMatchObject({ email: old, email_verified: true });
    await eventually(() => expect(listening.endedBy).toBe("unauthenticated"));
    expect((await browser.get("/api/me")).status).toBe(401);
    expect(failureOf(await use(token))).toEqual(invalid);
  });

  it("is taken back only within 7 days", async () => {
    await change("thief@example.org");
    const { token } = await hub.mailTo(old, CHANGING);
    await hub.moveClock("169 hours");
    expect(failureOf(await use(token))).toEqual(invalid);
  });

  it("is taken back although a thief changes it twice and sets a password", async () => {
    const [first, second] = [`1-${ada.name}@thief.org`, `2-${ada.name}@thief.org`];
    await change(first);
    await use((await hub.mailTo(first, NEW_ADDRESS)).token);
    await change(second);
    await use((await hub.mailTo(second, NEW_ADDRESS)).token);
    await hub.guest().post("/api/forgot-password", { login: ada.name });
    const { token: resetting } = await hub.mailTo(second, "Set a new password");
    const password = { token: resetting, new_password: "the password of a thief" };
    expect((await hub.guest().post("/api/reset-password", password)).status).toBe(200);
    // The thief's own link takes the address back to the thief's first one.
    const { token: ofThief } = await hub.mailTo(first, CHANGING);
    expect((await use(ofThief)).status).toBe(200);
    expect((await use((await hub.mailTo(old, CHANGING)).token)).status).toBe(200);
    expect((await me()).email).toBe(old);
  });

  it("of a thief takes nothing back after its owner did", async () => {
    const [first, second] = [`1-${ada.name}@thief.org`, `2-${ada.name}@thief.org`];
    await change(first);
    await use((await hub.mailTo(first, NEW_ADDRESS)).token);
    await change(second);
    const ofThief = [await hub.mailTo(first, CHANGING), await hub.mailTo(second, NEW_ADDRESS)];
    await use((await hub.mailTo(old, CHANGING)).token);
    for (const { token } of ofThief) expect(failureOf(await use(token))).toEqual(invalid);
    expect((await me()).email).toBe(old);
  });

  it("needs a proof, another address, and a caller with an account", async () => {
    expect(failureOf(await change("new@example.org", {}))).toEqual([403, "wrong_password"]);
    const wrong = { password: "not this one" };
    expect(failureOf(await change("new@example.org", wrong))).toEqual([403, "wrong_password"]);
    expect(failureOf(await change(old.toUpperCase()))).toEqual([400, "invalid_input"]);
    const { browser } = await hub.signIn(ada);
    expect((await change("new@example.org", { password: PASSWORD }, browser)).status).toBe(200);
    expect((await change("new@example.org", { password: PASSWORD }, hub.guest())).status).toBe(401);
  });

  it("is changed at once on a hub without mail", async () => {
    await using silent = await startTestHub();
    const ben = await silent.member("ben");
    await ben.post("/api/change-email", { email: "new@example.org", password: PASSWORD });
    const { user } = (await ben.get("/api/me")).body;
    expect(user).toMatchObject({ email: "new@example.org", email_verified: false });
  });

  it("hears of a new main key, a new named key and a new password", async () => {
    await ada.post("/api/keys", { name: "laptop", scopes: ["chat"], password: PASSWORD });
    expect((await hub.mailTo(old, "A new API key")).text).toContain("laptop");
    const next = "a quieter battery";
    const passwords = { current_password: PASSWORD, new_password: next, confirm_password: next };
    await ada.post("/api/change-password", passwords);
    await hub.mailTo(old, "Your password was changed");
    await ada.post("/api/api-key/rotate");
    await hub.mailTo(old, "Your API key was replaced");
  });
});

/** PGlite runs one transaction at a time, so two changes never meet there. */
describe.runIf(testDatabases().includes("postgresql"))("a verification that is mailed", () => {
  it("during a change of the address goes to the new one", async () => {
    const hub = await startMailHub({ database: "postgresql" });
    const ada = await hub.createMember();
    await hub.mailTo(`${ada.name}@example.org`, VERIFY);
    const { db } = hub.hub.database;
    const sent = await db.transaction().execute(async (tx) => {
      await sql`update accounts set email = 'new@example.org' where username = ${ada.name}`.execute(
        tx,
      );
      const answer = ada.post("/api/verify-email/send");
      // The note that the key was used waits for the account as well.
      await eventually(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
            and query like '%"email"%for update'`.execute(db);
        expect(rows).toHaveLength(1);
      });
      return { answer };
    });
    expect((await sent.answer).status).toBe(200);
    await hub.mailTo("new@example.org", VERIFY);
    await hub.close();
  });
});

describe("EMAIL_VERIFICATION", () => {
  it("off mails nothing to new accounts", async () => {
    const hub = await startMailHub({ config: { emailVerification: "off" } });
    await hub.createMember();
    await hub.close();
    expect(hub.sink.mails).toEqual([]);
  });

  it("required withholds publishing from accounts without a verified address", async () => {
    const hub = await startMailHub();
    const author = await hub.createMember();
    const { id } = (await author.post("/api/souls", { title: "S", content: "C" })).body;
    hub.hub.config.emailVerification = "required";
    const ada = await hub.createMember();
    await hub.pass(ada, "vip");
    const withheld = [
      () => ada.post("/api/souls", { title: "T", content: "C" }),
      () => ada.post("/trpc/souls.publish", { title: "T", content: "C" }),
      () => ada.post("/api/like", { soul_id: id }),
      () => ada.post("/api/rate", { soul_id: id, rating: 5 }),
      () => ada.post("/api/fork", { soul_id: id }),
      () => author.put(`/api/soul/${id}`, { title: "T" }),
    ];
    for (const call of withheld) expect(failureOf(await call())).toEqual([403, "email_unverified"]);
    const room = { soul_id: id, session_token: "room", content: "Hello" };
    expect((await ada.post("/api/chat", room)).status).toBe(200);
    expect((await ada.get(`/api/soul/${id}`)).status).toBe(200);
    expect((await hub.guest().get(`/api/soul/${id}`)).status).toBe(200);
    const { token } = await hub.mailTo(`${ada.name}@example.org`, VERIFY);
    await hub.guest().post("/api/verify-email", { token });
    for (const call of withheld.slice(0, -1)) expect((await call()).status).toBe(200);
    await hub.close();
  });

  it("limits mails to 3 an hour of each kind", async () => {
    const hub = await startMailHub({ config: { rateLimits: true } });
    const ada = await hub.createMember();
    const statuses: number[] = [];
    for (let nth = 0; nth < 4; nth++) {
      statuses.push((await ada.post("/api/verify-email/send")).status);
    }
    for (let nth = 0; nth < 4; nth++) {
      const email = `${nth}@example.org`;
      statuses.push((await ada.post("/api/change-email", { email, password: PASSWORD })).status);
    }
    await hub.close();
    expect(statuses).toEqual([200, 200, 200, 429, 200, 200, 200, 429]);
  });
});
