import type { ModAction, ModTarget, ReportReason } from "../../queries.ts";

export const reasonLabels: Readonly<Record<ReportReason, string>> = {
  spam: "Spam or advertising",
  abuse: "Insults or harassment",
  sexual: "Sexual content",
  minors: "Harm to minors",
  violence: "Violence or threats",
  illegal: "Something illegal",
  private_data: "Private data of a person",
  impersonation: "Impersonation",
  other: "Something else",
};

export const reasonChoices = Object.entries(reasonLabels).map(([value, label]) => ({
  value,
  label,
}));

/** Names a target within a sentence, e.g. “a message of ada”. */
export function nameOfTarget({ kind, title, username }: ModTarget): string {
  if (kind === "soul") return title ? `the soul “${title}”` : "a private or deleted soul";
  if (kind === "person") return username ? `the account ${username}` : "a deleted account";
  const where = title ? ` in a room of “${title}”` : "";
  if (kind === "room")
    return title ? `a room of “${title}”` : "a room of a private or deleted soul";
  return `${username ? `a message of ${username}` : "a message"}${where}`;
}

/** Names a target in a notice to its owner, e.g. “your account”. */
export function ownTarget(target: ModTarget): string {
  if (target.kind === "person") return "your account";
  return nameOfTarget(target.kind === "message" ? { ...target, username: "yours" } : target);
}

/** The titles of notices to the person concerned, by action. */
export const noticeTitles: Readonly<Record<ModAction, string>> = {
  dismiss: "Nothing was decided",
  warn: "A warning",
  hide_soul: "Your soul is hidden",
  remove_message: "Your message was removed",
  close_room: "A room was closed",
  silence: "You may not write",
  suspend: "Your account is suspended",
  restore: "A decision was taken back",
};
