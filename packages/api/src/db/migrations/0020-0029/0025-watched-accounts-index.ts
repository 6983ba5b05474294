import { ConcurrentIndex } from "../concurrent-index.ts";

/** Finds the hub's staff and the accounts under a restriction, which are few (0062). */
export class WatchedAccountsIndex extends ConcurrentIndex {
  override name = "0025-watched-accounts-index";
  override index = "accounts_watched_index";
  override on =
    "accounts (username_key) where role <> 'member' or suspension is not null or silence is not null";
}
