import type { Hub, HubConfig } from "../context.ts";
import { HubError } from "../errors.ts";
import type { Caller } from "./caller.ts";

/**
 * Reports whether the hub asks new accounts to verify their addresses (0059). If not, hardly any
 * account has a verified one.
 */
export const asksToVerify = ({ mail, config }: Pick<Hub, "mail" | "config">): boolean =>
  mail !== null && config.emailVerification !== "off";

/** The meta of a procedure about callers without a verified address. */
export interface VerifiedNeed {
  /** True if the hub may require a verified address: the procedure publishes or judges souls. */
  needsVerified?: boolean;
}

/** @throws HubError `email_unverified` on a hub that requires verified addresses */
export function assertVerified(
  caller: Caller,
  { needsVerified }: VerifiedNeed,
  { emailVerification }: HubConfig,
): void {
  if (!needsVerified || emailVerification !== "required" || !("account" in caller)) return;
  if (!caller.account.emailVerified) throw new HubError("email_unverified");
}
