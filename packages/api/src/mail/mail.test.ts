import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeLink } from "../accounts/links/account-links.ts";
import { eventually } from "../testing/eventually.ts";
import { type SmtpSink, startSmtpSink } from "../testing/servers/smtp-sink.ts";
import { MAIL_FROM, startTestHub, type TestHub } from "../testing/test-hub.ts";
import { mailAccount } from "./mail-account.ts";
import { createSmtpMailer } from "./smtp-mailer.ts";

const opened = new AsyncDisposableStack();
let sink: SmtpSink;
let hub: TestHub;
beforeAll(async () => {
  sink = opened.use(
    await startSmtpSink({
      onRcptTo({ address }, _, done) {
        done(address.startsWith("full") ? new Error(`<${address}> is over quota`) : null);
      },
    }),
  );
  hub = opened.use(await startTestHub({ smtpUrl: sink.url }));
  await hub.member("ada");
  await hub.member("full");
});
afterAll(() => opened.disposeAsync());

const content = {
  subject: "Löschung 𝄞 <b>",
  paragraphs: ["A line with <script>alert(1)</script> & “quotes”.", "x".repeat(2_000)],
};

it("mails an account as text and HTML, without anything to load", async () => {
  const newLink = { accountId: 1, purpose: "reset-password", hours: 1 } as const;
  const { db } = hub.hub.database;
  const { token } = await db.transaction().execute((tx) => makeLink(tx, newLink));
  const link = { label: "Set a new password", path: "/reset-password", token };
  mailAccount(hub, 1, { ...content, link });
  const found = () => sink.to("ada@example.org").find(({ text }) => text.includes("script"));
  await eventually(() => expect(found()).toBeDefined());
  const mail = found();
  expect(mail?.headers).toMatch(/^From: Soul Hub <hub@example\.org>\r?$/m);
  expect(mail?.headers).toMatch(/^Auto-Submitted: auto-generated\r?$/im);
  expect(mail?.text).toContain(`Hello ada,\n\n${content.paragraphs.join("\n\n")}\n\n`);
  expect(mail?.links).toContain(`${hub.url}/reset-password#${token}`);
  expect(mail?.html).toContain(`href="${hub.url}/reset-password#${token}"`);
  expect(mail?.html).not.toMatch(/<(?:img|script|link|iframe)|url\(|src=/i);
});

it("logs a mail that the server refuses, without its address", async () => {
  mailAccount(hub, 2, content);
  const logged = () => hub.log.find((line) => line.includes("did not take a mail"));
  await eventually(() => expect(logged()).toContain("550"));
  expect(logged()).not.toContain("full@");
});

it("sends nothing without encryption, except on loopback", async () => {
  // The address reaches the sink, but is not on loopback by its name.
  const url = sink.url.replace("127.0.0.1", "0.0.0.0");
  const mailer = await createSmtpMailer({ url, from: MAIL_FROM });
  const before = sink.mails.length;
  const mail = { to: "ben@example.org", subject: "S", text: "T", html: "<p>T</p>" };
  await expect(mailer.send(mail)).rejects.toThrow(/TLS|502|500/);
  expect(sink.mails.length).toBe(before);
  mailer.close();
});

it("sends nothing to a list of addresses", async () => {
  const mailer = await createSmtpMailer({ url: sink.url, from: MAIL_FROM });
  const mail = { subject: "S", text: "T", html: "<p>T</p>" };
  await mailer.send({ ...mail, to: "eve@example.org, mal@example.org" }).catch(() => {});
  expect(sink.to("mal@example.org")).toEqual([]);
  mailer.close();
});

it("gives up on a server that keeps talking and takes nothing", async () => {
  const server = createServer((socket) => {
    socket.write("220 Welcome.\r\n");
    let lines = 0;
    const talk = setInterval(() => {
      if (lines++ < 150) socket.write("250-Please hold.\r\n");
      else socket.destroy();
    }, 20);
    socket.on("error", () => {}).once("close", () => clearInterval(talk));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mailer = await createSmtpMailer({ url, from: MAIL_FROM, tryMs: 500 });
  const mail = { to: "ada@example.org", subject: "S", text: "T", html: "<p>T</p>" };
  await expect(mailer.send(mail)).rejects.toThrow("did not take a mail: EABORT");
  mailer.close();
  server.close();
  await once(server, "close");
});
