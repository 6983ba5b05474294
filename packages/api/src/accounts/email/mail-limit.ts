import type { Hub } from "../../context.ts";
import { HubError } from "../../errors.ts";

/** What a mail is for. Each purpose counts for itself, so that a stranger can't use up the others. */
type MailPurpose = "reset" | "verify" | "change";

/**
 * Counts a mail with a link against the limit of an account: 3 an hour of each kind (0059).
 * @throws HubError `rate_limited`
 */
export const countMail = async (hub: Hub, what: MailPurpose, accountId: number): Promise<void> =>
  hub.rateLimits?.("accountMail", `${what}:${accountId}`);

/** Counts a mail like {@link countMail}. Returns false over the limit. */
export async function mayMail(hub: Hub, what: MailPurpose, accountId: number): Promise<boolean> {
  try {
    await countMail(hub, what, accountId);
    return true;
  } catch (error) {
    if (error instanceof HubError && error.code === "rate_limited") return false;
    throw error;
  }
}
