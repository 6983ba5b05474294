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

/** The port through which mail leaves the hub (0059). */
export interface Mailer {
  /** @throws Error without the address or any text of the mail, since errors are logged */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

export interface WatchedMailer extends Mailer {
  /** Whether the SMTP server took the last mail. */
  readonly state: "ok" | "failing";
}
