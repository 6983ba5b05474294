declare module "../context.ts" {
  interface Hub {
    /** Sends mail; null if the hub has no SMTP server. */
    mail: WatchedMailer | null;
  }
}

/** A rendered mail to one address. */
export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** A mail that the SMTP server did not take. The message tells neither address nor text (0059). */
export class MailNotTaken extends Error {
  /** True if the server refuses the recipient or the mail for good. */
  readonly isPermanent: boolean;
  /** True if the server did not answer in time, so that the next mail would wait as long. */
  readonly isHanging: boolean;

  constructor(reason: string | number | undefined, isPermanent: boolean) {
    super(`The SMTP server did not take a mail: ${reason}`);
    this.isPermanent = isPermanent;
    this.isHanging = reason === "EABORT" || reason === "ETIMEDOUT";
  }
}

/** The port through which mail leaves the hub (0059). */
export interface Mailer {
  /** @throws MailNotTaken */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

export interface WatchedMailer extends Mailer {
  /** Whether the SMTP server took the last mail. */
  readonly state: "ok" | "failing";
}
