/**
 * `pnpm mails` writes every mail of the hub to the git-ignored folder `screenshots/mails`, as text and
 * as HTML. It starts a server and does what makes the hub send each mail.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { startServerProcess } from "./server-process.ts";
import { startSmtpSink } from "./servers/smtp-sink.ts";
import { MAIL_FROM, PASSWORD } from "./test-hub.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const target = path.join(root, "screenshots/mails");
const place = await mkdtemp(path.join(tmpdir(), "soul-hub-mails-"));
const sink = await startSmtpSink();
try {
  const server = await startServerProcess(path.join(root, "apps/server/src/main.ts"), {
    DATA_DIR: place,
    SMTP_URL: sink.url,
    MAIL_FROM,
    RATE_LIMITS: "off",
  });
  await useHub();
  await server.stop();
  await mkdir(target, { recursive: true });
  for (const [nth, { headers, text, html }] of sink.mails.entries()) {
    const subject = /^Subject: (.+?)\r?$/m.exec(headers)?.[1] ?? "mail";
    const slug = subject.toLowerCase().replace(/\W+/g, "-");
    const file = path.join(target, `${String(nth + 1).padStart(2, "0")}-${slug}`);
    await writeFile(`${file}.txt`, `${subject}\n\n${text}`);
    await writeFile(`${file}.html`, html);
    process.stdout.write(`${file}.txt\n`);
  }

  /** Does everything of which the hub tells an account by mail. */
  async function useHub(): Promise<void> {
    const register = async (username: string, email: string) => {
      const account = { username, password: PASSWORD, email };
      const { body } = await server.actor({ name: username }).post("/api/register", account);
      return server.actor({ name: username, apiKey: body.api_key });
    };
    const expectMails = async (count: number) => {
      while (sink.mails.length < count) await setTimeout(50);
    };
    const ada = await register("ada", "ada@example.org");
    await expectMails(1);
    await register("ada-too", "ada@example.org");
    await expectMails(2);
    await ada.post("/api/forgot-password", { login: "ada" });
    await expectMails(3);
    await ada.post("/api/forgot-password", { login: "ada@example.org" });
    await expectMails(4);
    const next = "a quieter battery";
    const passwords = { current_password: PASSWORD, new_password: next, confirm_password: next };
    await ada.post("/api/change-password", passwords);
    await expectMails(5);
    await ada.post("/api/keys", { name: "laptop", scopes: ["chat"], password: next });
    await expectMails(6);
    await ada.post("/api/change-email", { email: "new@example.org", password: next });
    await expectMails(8);
    await ada.post("/api/api-key/rotate");
    await expectMails(9);
  }
} finally {
  await sink[Symbol.asyncDispose]();
  await rm(place, { recursive: true, force: true });
}
