import type { Hub } from "../../context.ts";
import { mailAccount } from "../../mail/mail-account.ts";
import type { Action } from "../moderation.schema.ts";

interface Notice {
  action: Action;
  message: string;
  until: string | null;
}

/** The first sentence of the mail about each action. A dismissal sends no mail. */
const deeds: Readonly<Partial<Record<Action, string>>> = {
  warn: "The staff of this hub have a warning for you.",
  hide_soul: "The staff of this hub have hidden one of your souls.",
  remove_message: "The staff of this hub have removed one of your messages.",
  close_room: "The staff of this hub have closed one of your conversations.",
  silence: "The staff of this hub have silenced your account: you can read, but not write.",
  suspend: "The staff of this hub have suspended your account.",
  restore: "The staff of this hub have reversed a decision about you.",
};

/** Mails a notice to the account concerned (0062). The page shows it, with or without mail. */
export function mailNotice(hub: Hub, accountId: number, { action, message, until }: Notice): void {
  const deed = deeds[action];
  if (deed === undefined) return;
  const end = until === null ? [] : [`The decision ends on ${until} UTC.`];
  const appeal = action === "restore" ? [] : ["You may appeal within 30 days."];
  mailAccount({ hub }, accountId, {
    subject: "A notice from the staff",
    paragraphs: [deed, `They write: ${message}`, ...end, ...appeal],
    link: { label: "Read the notice", path: "/notices" },
  });
}
