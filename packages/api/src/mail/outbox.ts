import type { Hub } from "../context.ts";
import { isReadOnly, isStorageFull } from "../db/database-errors.ts";
import { createSemaphore } from "../semaphore.ts";
import { type Mailer, MailNotTaken } from "./mailer.ts";
import { renderMail } from "./render-mail.ts";
import { SMTP_CONNECTIONS } from "./smtp-mailer.ts";
import {
  claimMail,
  deleteMail,
  dropOldMails,
  MAX_TRIES,
  openMail,
  type SealedMail,
  storeMail,
  withLiveLinks,
} from "./waiting-mails.queries.ts";

declare module "../context.ts" {
  interface Hub {
    outbox: Outbox;
  }
}

/** A mail about an account. */
export interface AccountMail extends SealedMail {
  /** The account with which a waiting mail is deleted. */
  accountId: number;
}

/** Stores mails until the SMTP server takes them (0059). */
interface Outbox {
  /** Stores a mail and sends it. Without an SMTP server it does nothing. */
  post(mail: AccountMail): Promise<void>;
  /** Sends the mails whose next try is due. The sweeper calls it each minute. */
  sendDue(): Promise<void>;
}

type OutboxHub = Pick<
  Hub,
  "mail" | "database" | "vault" | "config" | "maintenance" | "storage" | "stopping" | "log"
>;

/** Creates the outbox of a hub. All servers of the hub share its table. */
export function createOutbox(hub: OutboxHub): Outbox {
  const { mail: mailer, vault, config, maintenance, storage, stopping, log } = hub;
  const { db } = hub.database;
  const sending = createSemaphore(SMTP_CONNECTIONS);
  let round: Promise<void> | undefined;
  /** True if the SMTP server did not answer the last try. One mail each round then tries it again. */
  let isHanging = false;

  async function send(to: Mailer, { address, name, content }: SealedMail): Promise<void> {
    try {
      await to.send({ to: address, ...renderMail(config.baseUrl, name, content) });
      isHanging = false;
    } catch (error) {
      if (error instanceof MailNotTaken) isHanging = error.isHanging;
      throw error;
    }
  }

  /** Sends one due mail. @returns false if none is due, or none may be sent now */
  const sendNext = (to: Mailer, isFirst = false): Promise<boolean> =>
    sending.run(async () => {
      if (maintenance.isOn || storage.isFull || stopping.aborted) return false;
      if (isHanging && !isFirst) return false;
      // A move of the data waits for the try, so that the new hub does not repeat it (0033).
      return maintenance.write(() => tryNext(to));
    });

  async function tryNext(to: Mailer): Promise<boolean> {
    const claimed = await claimMail(db);
    if (!claimed) return false;
    const { id, tries } = claimed;
    try {
      const mail = openMail(vault, claimed);
      const content = await withLiveLinks(db, mail.content);
      if (content) await send(to, { ...mail, content });
    } catch (err) {
      const isLast = tries >= MAX_TRIES || (err instanceof MailNotTaken && err.isPermanent);
      const outcome = isLast ? "a mail was dropped" : "a mail waits for its next try";
      log.error({ err, mail_id: id, tries }, outcome);
      if (!isLast) return true;
    }
    await deleteMail(db, id);
    return true;
  }

  /** @returns false if the database does not take the mail, as during its restart or a move */
  async function store({ accountId, ...mail }: AccountMail): Promise<boolean> {
    try {
      await storeMail(db, vault, accountId, mail);
      return true;
    } catch (error) {
      if (isStorageFull(error)) storage.foundFull();
      else if (!isReadOnly(error)) log.error({ err: error }, "a mail could not be stored");
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    const dropped = await dropOldMails(db);
    if (dropped > 0) log.error({ mails: dropped }, "mails were dropped: no server took them");
    let hasMore = mailer !== null && (await sendNext(mailer, true));
    while (mailer && hasMore) hasMore = await sendNext(mailer);
  }

  return {
    async post(mail) {
      if (!mailer) return;
      // A mail that can't be stored is tried once.
      if (await store(mail)) await sendNext(mailer);
      else await sending.run(() => send(mailer, mail));
    },
    sendDue() {
      // Tries of an SMTP server that hangs take longer than a minute.
      round ??= sendAll().finally(() => {
        round = undefined;
      });
      return round;
    },
  };
}
