import type { Counter } from "prom-client";
import type { Mailer, WatchedMailer } from "./mailer.ts";

/** Counts the mails of a mailer, and remembers whether the last one was sent. */
export function watchMailer(mailer: Mailer, mails: Counter<"outcome">): WatchedMailer {
  let state: WatchedMailer["state"] = "ok";
  const note = (isSent: boolean) => {
    state = isSent ? "ok" : "failing";
    mails.inc({ outcome: isSent ? "sent" : "failed" });
  };
  return {
    get state() {
      return state;
    },
    async send(mail) {
      try {
        await mailer.send(mail);
      } catch (error) {
        note(false);
        throw error;
      }
      note(true);
    },
    close: () => mailer.close(),
  };
}
