import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../caller/account.entity.ts";

/**
 * An account that will be deleted at its `deletes_at`, with its owner's choices (0063). Undo
 * deletes the row.
 */
export const AccountDeletion = defineEntity({
  name: "account_deletions",
  properties: {
    account: () =>
      p.manyToOne(Account).primary().index(false).deleteRule("cascade").updateRule("no action"),
    /** `delete`, or `keep` for public souls. */
    souls: p.text(),
    /** `anonymise`, or `erase` for the texts as well. */
    messages: p.text(),
  },
  checks: [
    { name: "account_deletions_souls_check", expression: "souls in ('delete', 'keep')" },
    {
      name: "account_deletions_messages_check",
      expression: "messages in ('anonymise', 'erase')",
    },
  ],
});
