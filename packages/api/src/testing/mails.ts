/**
 * `pnpm mails` writes every mail of the hub to the git-ignored folder `screenshots/mails`, as text and
 * as HTML. It starts a server and makes the hub send each mail.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { addPasskeyTo, createAuthenticator } from "../accounts/passkeys/authenticator.fixture.ts";
import type { Answer } from "./actor.ts";
import { startServerProcess } from "./server-process.ts";
import { startSmtpSink } from "./servers/smtp-sink.ts";
import { ADMIN_TOKEN, MAIL_FROM, PASSWORD } from "./test-hub.ts";

/** The time for which a mail may take to come. */
const WAIT_MS = 10_000;

const root = path.resolve(import.meta.dirname, "../../../..");
const target = path.join(root, "screenshots/mails");
const place = await mkdtemp(path.join(tmpdir(), "soul-hub-mails-"));
const sink = await startSmtpSink();
try {
  const server = await startServerProcess(path.join(root, "apps/server/src/main.ts"), {
    DATA_DIR: place,
    SMTP_URL: sink.url,
    MAIL_FROM,
    ADMIN_TOKEN,
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
    /** Awaits a call and the mails that it causes. */
    const mailed = async (call: Promise<Answer>, mails = 1) => {
      const count = sink.mails.length + mails;
      const { body, text } = await call;
      if (!body?.success) throw new Error(`A call failed: ${text}`);
      for (let left = WAIT_MS; sink.mails.length < count; left -= 50) {
        if (left <= 0) throw new Error(`No mail came after: ${text}`);
        await setTimeout(50);
      }
      return body;
    };
    const register = async (username: string, email: string) => {
      const account = { username, password: PASSWORD, email };
      const { api_key } = await mailed(
        server.actor({ name: username }).post("/api/register", account),
      );
      return server.actor({ name: username, apiKey: api_key });
    };
    const ada = await register("ada", "ada@example.org");
    await register("ada-too", "ada@example.org");
    await mailed(ada.post("/api/forgot-password", { login: "ada" }));
    await mailed(ada.post("/api/forgot-password", { login: "ada@example.org" }));
    const device = createAuthenticator(server.url.replace("127.0.0.1", "localhost"));
    const { passkey } = await mailed(addPasskeyTo(ada, device));
    const proof = JSON.stringify({ password: PASSWORD });
    const json = { "content-type": "application/json" };
    await mailed(ada.send("DELETE", `/api/passkeys/${passkey.id}`, proof, json));
    const next = "a quieter battery";
    const passwords = { current_password: PASSWORD, new_password: next, confirm_password: next };
    await mailed(ada.post("/api/change-password", passwords));
    await mailed(ada.post("/api/keys", { name: "laptop", scopes: ["chat"], password: next }));
    await mailed(ada.post("/api/change-email", { email: "new@example.org", password: next }), 2);
    await mailed(ada.post("/api/api-key/rotate"));

    const ben = await register("ben", "ben@example.org");
    const mia = await register("mia", "mia@example.org");
    const operator = server.actor({ name: "the operator", apiKey: ADMIN_TOKEN });
    await mailed(operator.put("/api/admin/role", { username: "mia", role: "moderator" }), 0);
    const { id: soul_id } = await mailed(ben.post("/api/souls", { title: "S", content: "C" }), 0);
    const staffDo = async (target: object, action: string, days?: number) => {
      const { id, revision } = await mailed(mia.post("/api/mod/cases", target), 0);
      const why = { reason: "private_data", message_to_author: "It shows an address." };
      await mailed(mia.post(`/api/mod/cases/${id}/act`, { revision, action, days, ...why }));
    };
    await staffDo({ kind: "soul", soul_id }, "hide_soul");
    await mailed(operator.post("/api/admin/hide", { soul_id, hidden: false }));
    await staffDo({ kind: "person", username: "ben" }, "warn");
    await staffDo({ kind: "person", username: "ben" }, "silence", 7);
    await staffDo({ kind: "person", username: "ben" }, "suspend", 7);
    const deletion = { password: PASSWORD, souls: "delete", messages: "erase" };
    await mailed(ben.post("/api/delete-account", deletion));
    const guest = server.actor({ name: "ben" });
    await mailed(guest.post("/api/undo-deletion", { username: "ben", password: PASSWORD }));
  }
} finally {
  await sink[Symbol.asyncDispose]();
  await rm(place, { recursive: true, force: true });
}
