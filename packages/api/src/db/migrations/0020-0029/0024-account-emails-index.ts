import { ConcurrentIndex } from "../concurrent-index.ts";

/** Finds the accounts of an address that somebody has forgotten the password of (0059). */
export class AccountEmailsIndex extends ConcurrentIndex {
  override name = "0024-account-emails-index";
  override index = "accounts_email_index";
  override on = "accounts (email)";
}
