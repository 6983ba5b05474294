import { defineEntity, p } from "@mikro-orm/core";

/**
 * The record of a deleted account (0063): its id, a keyed hash of its name, and its owner's
 * choices. The name stays taken. A restore of an older backup deletes the account once more.
 */
export const DeletedAccount = defineEntity({
  name: "deleted_accounts",
  properties: {
    account_id: p.bigint("number").primary().autoincrement(false),
    /** Tells the account from another one that got the same id after a restore. */
    account_created_at: p.string().columnType("timestamptz"),
    name_hash: p.text().index(),
    souls: p.text(),
    messages: p.text(),
    deleted_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});

/** The sealed key of the name hashes: one row, once an account was deleted. */
export const DeletedNameKey = defineEntity({
  name: "deleted_name_keys",
  properties: {
    id: p.bigint("number").primary().autoincrement(false),
    key_sealed: p.text(),
  },
});
