import { type Mailer, MailNotTaken } from "./mailer.ts";

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** Few connections, so that a flood of requests does not become a flood of connections. */
export const SMTP_CONNECTIONS = 2;
const TIMEOUT_MS = 10_000;
/** The longest try. A server that sends single bytes meets every other time limit (0059). */
const TRY_MS = 90_000;

interface SmtpOptions {
  url: string;
  from: string;
  /** Milliseconds after which a try fails. Other servers try the mail again two minutes later. */
  tryMs?: number | undefined;
}

/** An error of nodemailer. It has no `responseCode` if the server has not answered. */
interface SmtpFailure {
  code?: string;
  responseCode?: number;
  /** The command that failed. */
  command?: string;
}

/**
 * Creates a mailer for an SMTP server. Except on loopback the connection is encrypted: `smtps` from
 * the start, `smtp` by STARTTLS, without which nothing is sent (0059).
 * @param url `smtp://user:password@host:587` or `smtps://…`
 * @param from the sender, as `hub@example.org` or `Soul Hub <hub@example.org>`
 */
export async function createSmtpMailer({
  url,
  from,
  tryMs = TRY_MS,
}: SmtpOptions): Promise<Mailer> {
  // A hub without SMTP does not load the client (0081).
  const { createTransport } = await import("nodemailer");
  const { protocol, hostname, port, username, password } = new URL(url);
  const isLocal = LOOPBACK.test(hostname);
  const transport = createTransport(
    {
      pool: true,
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port ? Number(port) : DEFAULT_PORTS[protocol],
      secure: protocol === "smtps:",
      requireTLS: !isLocal,
      // The certificate of a local server rarely fits `localhost`.
      ignoreTLS: isLocal,
      ...(username && {
        auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      }),
      maxConnections: SMTP_CONNECTIONS,
      idleTimeout: TIMEOUT_MS,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from, headers: { "auto-submitted": "auto-generated" } },
  );
  return {
    async send({ to, ...mail }) {
      try {
        // As an object, the address can't become a list of addresses.
        const signal = AbortSignal.timeout(tryMs);
        await transport.sendMail({ ...mail, to: { name: "", address: to }, signal });
      } catch (error) {
        // The server's answer often repeats the address.
        const { code, responseCode, command } = error as SmtpFailure;
        // A refusal of the login or the sender is the operator's to mend, so the mail waits for it.
        const isOfMail = command === "RCPT TO" || command === "DATA";
        throw new MailNotTaken(responseCode ?? code, isOfMail && (responseCode ?? 0) >= 500);
      }
    },
    close: () => transport.close(),
  };
}
