import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail that the sink received, decoded. */
export interface ReceivedMail {
  to: string[];
  /** The header lines, unfolded. */
  headers: string;
  text: string;
  html: string;
  /** The links of the text, in order. */
  links: string[];
}

export interface SmtpSink extends AsyncDisposable {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** The mails to an address, oldest first. */
  to(address: string): ReceivedMail[];
}

/**
 * Starts an SMTP server that keeps each mail. By default it offers no encryption.
 * @param port the port of a sink that was closed before; by default a free one
 */
export async function startSmtpSink(options: SMTPServerOptions = {}, port = 0): Promise<SmtpSink> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, { envelope }, done) {
      const to = envelope.rcptTo.map(({ address }) => address);
      void readText(stream).then((raw) => {
        mails.push({ to, ...parseMail(raw) });
        done();
      }, done);
    },
    ...options,
  });
  // A client that gives up on the connection is no failure of the sink.
  server.on("error", () => {});
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  const { port: bound } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${bound}`,
    mails,
    to: (address) => mails.filter((mail) => mail.to.includes(address)),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Reads a mail of two parts, plain text and HTML. */
function parseMail(raw: string): Omit<ReceivedMail, "to"> {
  const [head = "", body = ""] = splitHead(raw);
  const headers = head.replace(/\r\n[ \t]+/g, " ");
  const boundary = /boundary="([^"]+)"/.exec(headers)?.[1] ?? "";
  const [, text = "", html = ""] = body.split(`--${boundary}`).map(decodePart);
  return { headers, text, html, links: text.match(/https?:\/\/\S+(?=\n)/g) ?? [] };
}

function splitHead(part: string): [string, string] {
  const end = part.indexOf("\r\n\r\n");
  return [part.slice(0, end), part.slice(end + 4)];
}

function decodePart(part: string): string {
  const [head, body] = splitHead(part);
  const bytes = /quoted-printable/i.test(head)
    ? Buffer.from(
        body
          .replace(/=\r\n/g, "")
          .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      )
    : Buffer.from(body, /base64/i.test(head) ? "base64" : "utf8");
  return bytes.toString("utf8").replaceAll("\r\n", "\n");
}
