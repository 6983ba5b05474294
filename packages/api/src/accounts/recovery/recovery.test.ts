import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { rawRequest } from "../../testing/requests/raw-request.ts";
import { ADMIN_TOKEN, startTestHub } from "../../testing/test-hub.ts";
import { type MailHub, startMailHub } from "../email/mail-hub.fixture.ts";
import { withNamedKey } from "../keys/named-key.fixture.ts";

const NEW = "a quieter battery";
const SUBJECT = "Set a new password";
const invalid = [400, "token_invalid"];

/** Forgotten passwords (0059). */
describe("a forgotten password", () => {
  let hub: MailHub;
  let ada: Actor;
  beforeAll(async () => {
    hub = await startMailHub();
  });
  beforeEach(async () => {
    await hub.moveClock("0 days");
    ada = await hub.createMember();
  });
  afterAll(() => hub.close());

  const addressOf = ({ name }: Actor) => `${name}@example.org`;
  const forget = (login: string, headers = {}) =>
    hub.guest().post("/api/forgot-password", { login }, headers);
  const reset = (token: string, more: object = {}) =>
    hub.guest().post("/api/reset-password", { token, new_password: NEW, ...more });
  const askForLink = async (nth = 1) => {
    expect((await forget(ada.name)).status).toBe(200);
    return (await hub.mailTo(addressOf(ada), SUBJECT, nth)).token;
  };
  const byOperator = (body: object) =>
    hub.guest().post("/api/admin/reset-link", body, { authorization: `Bearer ${ADMIN_TOKEN}` });

  it("is replaced with a mailed link, which ends sessions and their subscriptions", async () => {
    const { browser } = await hub.signIn(ada);
    await using listening = await hub.subscribe(browser);
    await using byKey = await hub.subscribe(ada);
    const token = await askForLink();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await reset(token)).status).toBe(200);
    await eventually(() => expect(listening.endedBy).toBe("unauthenticated"));
    expect(byKey.endedBy).toBeUndefined();
    expect((await browser.get("/api/me")).status).toBe(401);
    expect((await ada.get("/api/me")).status).toBe(200);
    expect((await hub.signIn(ada)).status).toBe(401);
    expect((await hub.signIn(ada, NEW)).status).toBe(200);
    await hub.mailTo(addressOf(ada), "Your password was changed");
  });

  it("is mailed a link from BASE_URL alone, whatever the headers say", async () => {
    const { url, hub: running } = hub;
    const { host } = new URL(url);
    running.config.baseUrl = "https://hub.example.org";
    const body = JSON.stringify({ login: ada.name });
    const lines = [
      "POST /api/forgot-password HTTP/1.1",
      "host: evil.example",
      "x-forwarded-host: evil.example",
      "origin: https://evil.example",
      "content-type: application/json",
      `content-length: ${body.length}`,
      "connection: close",
    ];
    expect(await rawRequest({ url }, lines, body)).toMatch(/^HTTP\/1\.1 200 /);
    const { links, text, html } = await hub.mailTo(addressOf(ada), SUBJECT);
    running.config.baseUrl = url;
    expect(links[0]).toMatch(/^https:\/\/hub\.example\.org\/reset-password#[\w-]{43}$/);
    for (const wrong of ["evil", host]) expect(text + html).not.toContain(wrong);
  });

  it("answers the same to an unknown login, before it looks anything up", async () => {
    const { db } = hub.hub.database;
    const known = await forget(ada.name);
    // Whatever the lookup waits for, the answer does not.
    let answered: Awaited<ReturnType<typeof forget>> | undefined;
    await db.transaction().execute(async (tx) => {
      await sql`lock table accounts in access exclusive mode`.execute(tx);
      answered = await forget("nobody-here");
    });
    expect([answered?.status, answered?.body]).toEqual([known.status, known.body]);
    expect(hub.sink.to("nobody-here@example.org")).toEqual([]);
  });

  it("is not changed by opening the link, however often", async () => {
    const token = await askForLink();
    for (let nth = 0; nth < 2; nth++) {
      await hub.guest().get(`/reset-password#${token}`);
      await hub.guest().get(`/api/reset-password?token=${token}`);
    }
    expect((await reset(token)).status).toBe(200);
  });

  it("is changed once by a link, and by the newest one only", async () => {
    const older = await askForLink();
    const newest = await askForLink(2);
    expect(failureOf(await reset(older))).toEqual(invalid);
    const answers = await Promise.all([reset(newest), reset(newest), reset(newest)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(failureOf(await reset(newest))).toEqual(invalid);
  });

  it("is not changed by an old, invented or foreign link, with one wording", async () => {
    const token = await askForLink();
    await hub.moveClock("61 minutes");
    const expired = await reset(token);
    expect(failureOf(expired)).toEqual(invalid);
    const { token: other } = await hub.mailTo(addressOf(ada), "Verify your address");
    for (const answer of [await reset("invented"), await reset(other)]) {
      expect([failureOf(answer), answer.body.message]).toEqual([invalid, expired.body.message]);
    }
  });

  it("may not become the username, and the link still works then", async () => {
    const token = await askForLink();
    const named = await hub.guest().post("/api/register", {
      username: "long-enough-name",
      password: NEW,
      email: "long@example.org",
    });
    expect(named.status).toBe(200);
    await forget("long-enough-name");
    const own = (await hub.mailTo("long@example.org", SUBJECT)).token;
    const refused = await reset(own, { new_password: "Long-Enough-Name" });
    expect(failureOf(refused)).toEqual([400, "invalid_input"]);
    expect((await reset(own)).status).toBe(200);
    expect((await reset(token)).status).toBe(200);
  });

  it("leaves the keys valid, unless `revoke_keys` revokes them all", async () => {
    const key = await withNamedKey(hub, ada, ["account:read"]);
    await reset(await askForLink());
    expect((await key.get("/api/me")).status).toBe(200);
    await reset(await askForLink(2), { revoke_keys: true });
    for (const revoked of [key, ada]) expect((await revoked.get("/api/me")).status).toBe(401);
  });

  it("of a shared address is one mail with a link for each account, at most 5", async () => {
    for (let nth = 1; nth <= 6; nth++) {
      const account = {
        username: `${ada.name}-${nth}`,
        password: NEW,
        email: `s${ada.name}@x.org`,
      };
      expect((await hub.guest().post("/api/register", account)).status).toBe(200);
    }
    await forget(` S${ada.name}@X.org`);
    const { links, text } = await hub.mailTo(`s${ada.name}@x.org`, SUBJECT);
    expect(links.filter((link) => link.includes("#"))).toHaveLength(5);
    expect(text).toContain(`Set a new password for ${ada.name}-5:`);
    expect(hub.bySubject(`s${ada.name}@x.org`, SUBJECT)).toHaveLength(1);
  });

  it("is stored as a hash only, and never logged", async () => {
    const token = await askForLink();
    const { rows } = await sql`select account_links::text as row from account_links`.execute(
      hub.hub.database.db,
    );
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(hub.log.join("")).not.toContain(token);
  });

  it("is changed by the operator's link, which is audited", async () => {
    const { status, body } = await byOperator({ username: ada.name.toUpperCase(), hours: 2 });
    expect([status, Object.keys(body).sort()]).toEqual([200, ["expires_at", "success", "url"]]);
    await hub.moveClock("119 minutes");
    expect((await reset(body.url.split("#")[1])).status).toBe(200);
    const { rows } = await sql<{ detail: string }>`
      select detail from audit_log where action = 'make-reset-link' order by id desc limit 1`.execute(
      hub.hub.database.db,
    );
    expect(JSON.parse(rows[0]?.detail ?? "")).toEqual({ hours: 2 });
  });

  it("on a hub without mail is changed by the operator's link alone", async () => {
    await using silent = await startTestHub();
    const ben = await silent.member("ben");
    const refused = await silent.guest().post("/api/forgot-password", { login: "ben" });
    expect(failureOf(refused)).toEqual([503, "mail_unavailable"]);
    expect(failureOf(await ben.post("/api/verify-email/send"))).toEqual([503, "mail_unavailable"]);
    const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const link = await silent.guest().post("/api/admin/reset-link", { username: "ben" }, operator);
    const token = link.body.url.split("#")[1];
    const done = await silent.guest().post("/api/reset-password", { token, new_password: NEW });
    expect(done.status).toBe(200);
  });
});

it("limits links to 3 an hour for each account, silently, and 10 for each address", async () => {
  const hub = await startMailHub({ config: { rateLimits: true } });
  const ada = await hub.createMember();
  const forget = (login: string) => hub.guest().post("/api/forgot-password", { login });
  const ben = await hub.createMember();
  const statuses: number[] = [];
  for (const [{ name }, calls] of [
    [ada, 5],
    [ben, 6],
  ] as const) {
    for (let nth = 1; nth <= calls; nth++) {
      statuses.push((await forget(name)).status);
      // A link that the next one replaces before it was mailed is not mailed.
      if (nth <= 3) await hub.mailTo(`${name}@example.org`, SUBJECT, nth);
    }
  }
  expect(statuses).toEqual([...Array(10).fill(200), 429]);
  await hub.close();
  for (const { name } of [ada, ben]) {
    expect(hub.bySubject(`${name}@example.org`, SUBJECT)).toHaveLength(3);
  }
});
