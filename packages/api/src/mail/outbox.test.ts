import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { sql } from "kysely";
import type { SMTPServerOptions } from "smtp-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operatorOf } from "../moderation/staff.fixture.ts";
import { eventually } from "../testing/eventually.ts";
import { type SmtpSink, startSmtpSink } from "../testing/servers/smtp-sink.ts";
import { emptyDatabase, testDatabases } from "../testing/test-database.ts";
import { PASSWORD, startTestHub, type TestHub, type TestHubOptions } from "../testing/test-hub.ts";
import { mailAccount } from "./mail-account.ts";

const RESET = "Set a new password";
const WAITS = "a mail waits for its next try";
const DROPPED = "a mail was dropped";

/** Servers that refuse a mail for good. Their answers may repeat the address. */
const refusals: Record<string, SMTPServerOptions> = {
  recipient: {
    onRcptTo: ({ address }, _, done) => done(new Error(`<${address}> is unknown`)),
  },
  text: {
    onData(stream, { envelope: { rcptTo } }, done) {
      const refusal = new Error(`<${rcptTo[0]?.address}> wants no such text`);
      stream.resume().on("end", () => done(Object.assign(refusal, { responseCode: 554 })));
    },
  },
};

/** Mails that the SMTP server does not take at once (0059). */
describe.each(testDatabases())("a mail that waits (on %s)", (database) => {
  let opened: AsyncDisposableStack;
  /** Closed after the hubs, whose idle connections a closing sink would wait for. */
  let sinks: AsyncDisposableStack;
  beforeEach(() => {
    opened = new AsyncDisposableStack();
    sinks = opened.use(new AsyncDisposableStack());
  });
  afterEach(() => opened.disposeAsync());

  const start = async (smtpUrl: string, options: TestHubOptions = {}) =>
    opened.use(await startTestHub({ database, smtpUrl, ...options }));
  /** Starts a hub whose SMTP server is away, and a function that brings the server back. */
  const startWithoutServer = async (options: TestHubOptions = {}) => {
    const gone = await startSmtpSink();
    await gone[Symbol.asyncDispose]();
    const port = Number(new URL(gone.url).port);
    const comeBack = async () => sinks.use(await startSmtpSink({}, port));
    return { hub: await start(gone.url, options), url: gone.url, comeBack };
  };
  const rowsOf = async ({ hub }: TestHub) =>
    (
      await sql<{ tries: number; row: string }>`
        select tries, waiting_mails::text as row from waiting_mails order by id`.execute(
        hub.database.db,
      )
    ).rows;
  const logged = ({ log }: TestHub, words: string) => log.filter((line) => line.includes(words));
  /** Awaits that the first tries of so many waiting mails have failed. */
  const firstTries = (hub: TestHub, count: number) =>
    eventually(async () => {
      expect((await rowsOf(hub)).map(({ tries }) => tries)).toEqual(Array(count).fill(1));
      expect(logged(hub, WAITS).length).toBeGreaterThanOrEqual(count);
    });
  /** Starts such a hub with an account whose first mail waits. */
  const startWithMail = async () => {
    const started = await startWithoutServer();
    await started.hub.member("ada");
    await firstTries(started.hub, 1);
    return started;
  };
  const register = async (hub: TestHub, username: string, email: string) => {
    const account = { username, password: PASSWORD, email };
    expect((await hub.guest().post("/api/register", account)).status).toBe(200);
  };
  const forget = (hub: TestHub, login: string) =>
    hub.guest().post("/api/forgot-password", { login });
  const bySubject = (sink: SmtpSink, subject: string) =>
    sink.mails.filter(({ headers }) => headers.includes(`Subject: ${subject}`));

  it("arrives once when the server is back, and is sealed until then", async () => {
    const { hub, comeBack } = await startWithMail();
    const [waiting] = await rowsOf(hub);
    const sink = await comeBack();
    await hub.hub.outbox.sendDue();
    expect(sink.mails).toEqual([]);

    await hub.moveClock("3 minutes");
    await Promise.all([hub.hub.outbox.sendDue(), hub.hub.outbox.sendDue()]);
    const [mail, ...others] = sink.to("ada@example.org");
    expect([others, await rowsOf(hub)]).toEqual([[], []]);
    const token = mail?.links[0]?.split("#")[1] ?? "";
    expect((await hub.guest().post("/api/verify-email", { token })).status).toBe(200);
    expect(logged(hub, WAITS)).toHaveLength(1);
    for (const secret of [token, "ada@example.org", "Verify your address"]) {
      expect(waiting?.row).not.toContain(secret);
      expect(hub.log.join("")).not.toContain(secret);
    }
  });

  it("is dropped after 8 tries in 24 hours, with growing gaps", async () => {
    let tries = 0;
    // The operator can mend a refused sender, so even this 5xx is not the end.
    const onMailFrom: SMTPServerOptions["onMailFrom"] = (_, __, done) => {
      tries++;
      done(new Error("sender refused"));
    };
    const sink = sinks.use(await startSmtpSink({ onMailFrom }));
    const hub = await start(sink.url);
    await hub.member("ada");
    await firstTries(hub, 1);
    const minutes = [3, 9, 25, 86, 267, 688, 1409];
    for (const [nth, minute] of minutes.entries()) {
      await hub.moveClock(`${minute - 2} minutes`);
      await hub.hub.outbox.sendDue();
      expect(tries).toBe(nth + 1);
      await hub.moveClock(`${minute} minutes`);
      await hub.hub.outbox.sendDue();
      expect(tries).toBe(nth + 2);
    }
    expect(await rowsOf(hub)).toEqual([]);
    expect([logged(hub, WAITS).length, logged(hub, DROPPED).length]).toEqual([7, 1]);
    expect(logged(hub, DROPPED)[0]).not.toContain("ada@");
  });

  it("is dropped after 24 hours, even if the hub did not run", async () => {
    const { hub, comeBack } = await startWithMail();
    const sink = await comeBack();
    await hub.moveClock("25 hours");
    await hub.hub.outbox.sendDue();
    expect([sink.mails, await rowsOf(hub)]).toEqual([[], []]);
    expect(logged(hub, "mails were dropped")).toHaveLength(1);
  });

  it.each(Object.entries(refusals))(
    "is dropped at once if the server refuses the %s",
    async (_, refusal) => {
      const sink = sinks.use(await startSmtpSink(refusal));
      const hub = await start(sink.url);
      await hub.member("ada");
      await eventually(async () => {
        expect(logged(hub, DROPPED)).toHaveLength(1);
        expect(await rowsOf(hub)).toEqual([]);
      });
      expect(logged(hub, DROPPED)[0]).toContain("55");
      expect(hub.log.join("")).not.toContain("ada@");
    },
  );

  it("is sent by one of two servers", async () => {
    const shared = await emptyDatabase(database);
    const { hub: one, url, comeBack } = await startWithoutServer({ database: shared });
    const two = await start(url, { database: shared });
    const names = ["ada", "ben", "cleo", "dora", "emil", "finn"];
    for (const name of names) await one.member(name);
    await firstTries(one, names.length);
    const sink = await comeBack();
    await one.moveClock("3 minutes");
    await Promise.all([one.hub.outbox.sendDue(), two.hub.outbox.sendDue()]);
    expect(sink.mails.map(({ to }) => to[0]).sort()).toEqual(
      names.map((name) => `${name}@example.org`),
    );
  });

  it("is not sent once its link was replaced or has expired", async () => {
    const { hub, comeBack } = await startWithoutServer();
    const ada = await hub.member("ada");
    await firstTries(hub, 1);
    await ada.post("/api/verify-email/send");
    await forget(hub, "ada");
    await firstTries(hub, 3);
    // The operator's link replaces the mailed one.
    await operatorOf(hub).post("/api/admin/reset-link", { username: "ada" });
    await register(hub, "ben", "ben@example.org");
    await firstTries(hub, 4);
    await forget(hub, "ben");
    await firstTries(hub, 5);
    const sink = await comeBack();
    await hub.moveClock("61 minutes");
    await hub.hub.outbox.sendDue();
    expect(bySubject(sink, RESET)).toEqual([]);
    expect(sink.mails.map(({ to }) => to[0]).sort()).toEqual([
      "ada@example.org",
      "ben@example.org",
    ]);
    const token = sink.to("ada@example.org")[0]?.links[0]?.split("#")[1];
    expect((await hub.guest().post("/api/verify-email", { token })).status).toBe(200);
    expect(await rowsOf(hub)).toEqual([]);
  });

  it("for several accounts leaves out the links that work no more", async () => {
    const { hub, comeBack } = await startWithoutServer();
    await register(hub, "ada", "shared@example.org");
    await register(hub, "ben", "shared@example.org");
    await firstTries(hub, 2);
    await forget(hub, "shared@example.org");
    await firstTries(hub, 3);
    await operatorOf(hub).post("/api/admin/reset-link", { username: "ben" });
    const sink = await comeBack();
    await hub.moveClock("3 minutes");
    await hub.hub.outbox.sendDue();
    const [{ text } = { text: "" }] = bySubject(sink, RESET);
    expect(text).toContain("Set a new password for ada:");
    expect(text).not.toContain("for ben");
  });

  it("is deleted with its account", async () => {
    const { hub, comeBack } = await startWithoutServer({ config: { deletionGraceDays: 0 } });
    const ada = await hub.member("ada");
    await hub.member("ben");
    await firstTries(hub, 2);
    const wanted = { password: PASSWORD, souls: "delete", messages: "anonymise" };
    expect((await ada.post("/api/delete-account", wanted)).status).toBe(200);
    await firstTries(hub, 1);
    const sink = await comeBack();
    await hub.moveClock("3 minutes");
    await hub.hub.outbox.sendDue();
    expect(sink.mails.map(({ to }) => to)).toEqual([["ben@example.org"]]);
  });

  it("does not try a server that hangs, which one mail a round does for all", async () => {
    const hanging = createServer().listen(0, "127.0.0.1");
    await once(hanging, "listening");
    const { port } = hanging.address() as AddressInfo;
    const hub = await start(`smtp://127.0.0.1:${port}`, { mailTryMs: 500 });
    await hub.member("ada");
    await firstTries(hub, 1);
    for (const name of ["ben", "cleo", "dora"]) await hub.member(name);
    const tries = async () => (await rowsOf(hub)).map((row) => row.tries).sort();
    await eventually(async () => expect(await tries()).toHaveLength(4));
    await hub.hub.outbox.sendDue();
    expect(await tries()).toEqual([0, 0, 1, 1]);

    const closed = once(hanging, "close");
    hanging.close();
    await closed;
    const sink = sinks.use(await startSmtpSink({}, port));
    await hub.moveClock("3 minutes");
    await hub.hub.outbox.sendDue();
    expect([sink.mails.length, await tries()]).toEqual([4, []]);
  });

  it("waits during maintenance and while the disk is full", async () => {
    const { hub, comeBack } = await startWithMail();
    const sink = await comeBack();
    await hub.moveClock("3 minutes");
    const { outbox, maintenance, storage } = hub.hub;
    maintenance.begin();
    await outbox.sendDue();
    maintenance.end();
    storage.foundFull();
    await outbox.sendDue();
    expect(sink.mails).toEqual([]);
    await storage.check();
    await outbox.sendDue();
    expect(sink.mails).toHaveLength(1);
  });
});

/** The causes for which a database stores no mail. Each has statements that begin and end it. */
const faults: Record<string, [begin: string, end: string]> = {
  // A database that is being moved answers with this code. A trigger holds for all connections.
  "takes no writes": [
    `do $$ begin
      create function refuse() returns trigger language plpgsql
        as 'begin raise exception using errcode = ''25006''; end';
      create trigger refuse before insert on waiting_mails execute function refuse();
    end $$`,
    "drop function refuse() cascade",
  ],
  fails: ["alter table waiting_mails rename to away", "alter table away rename to waiting_mails"],
};

it.each(Object.entries(faults))("is sent once if the database %s", async (_, [begin, end]) => {
  await using sink = await startSmtpSink();
  await using hub = await startTestHub({ smtpUrl: sink.url, config: { emailVerification: "off" } });
  await hub.member("ada");
  const { db } = hub.hub.database;
  await sql.raw(begin).execute(db);
  try {
    mailAccount(hub, 1, { subject: "S", paragraphs: ["P"] });
    await eventually(() => expect(sink.to("ada@example.org")).toHaveLength(1));
  } finally {
    await sql.raw(end).execute(db);
  }
  await hub.hub.outbox.sendDue();
  expect(sink.mails).toHaveLength(1);
  expect(hub.log.join("")).not.toContain("ada@");
});
