import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../accounts/account.entity.ts";
import type { TableOf } from "../db/database.ts";

declare module "../db/database.ts" {
  interface Tables {
    account_deletions: TableOf<typeof AccountDeletion>;
    deleted_accounts: TableOf<typeof DeletedAccount>;
  }
}

/** An account that will be deleted, and what its owner chose (0063). Undo deletes the row. */
export const AccountDeletion = defineEntity({
  name: "AccountDeletion",
  tableName: "account_deletions",
  properties: {
    account: () => p.oneToOne(Account).primary().deleteRule("cascade").updateRule("no action"),
    /** `delete`, or `keep` for public souls. */
    souls: p.text(),
    /** `anonymise`, or `erase` for the texts as well. */
    messages: p.text(),
    deletes_at: p.string().columnType("timestamptz").index(),
  },
  checks: [
    { name: "account_deletions_souls_check", expression: "souls in ('delete', 'keep')" },
    {
      name: "account_deletions_messages_check",
      expression: "messages in ('anonymise', 'erase')",
    },
  ],
});

/**
 * What remains of a deleted account (0063): its id, and a keyed hash of its name, which nobody can
 * take again. A restored backup deletes the account once more, with the same choice.
 */
export const DeletedAccount = defineEntity({
  name: "DeletedAccount",
  tableName: "deleted_accounts",
  properties: {
    account_id: p.bigint("number").primary().autoincrement(false),
    name_hash: p.text().index(),
    messages: p.text(),
    deleted_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});
