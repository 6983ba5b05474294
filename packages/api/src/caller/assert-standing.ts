import { HubError } from "../errors.ts";
import type { Caller, CallerAccount } from "./caller.ts";
import type { Restriction } from "./restriction.schema.ts";

/** What a procedure tells about callers whose account is restricted. */
export interface StandingNeed {
  /** True if a suspended account may call the procedure. */
  whileSuspended?: boolean;
  /** True if a silenced account may not call the procedure, since it publishes text. */
  writes?: boolean;
}

/**
 * Refuses a suspended account, and a silenced one that wants to write, on every transport (0057).
 * @throws HubError `account_suspended` with `until`, `reason` and `decision_id`
 */
export function assertStanding(caller: Caller, { whileSuspended, writes }: StandingNeed): void {
  if (!("account" in caller)) return;
  const { suspension, silence } = caller.account;
  if (suspension && !whileSuspended) throw suspended(suspension);
  if (silence && writes) {
    throw suspended(silence, "Your account may not write at present.");
  }
}

/** The refusal of a suspended account. */
export const suspended = (extra: Restriction, message = "Your account is suspended."): HubError =>
  new HubError("account_suspended", { message, extra: { ...extra } });

/** The restriction of an account that its owner reads, the stricter one of two; null without one. */
export function moderationOf({
  suspension,
  silence,
}: Pick<CallerAccount, "suspension" | "silence">) {
  if (suspension) return { state: "suspended" as const, ...suspension };
  return silence && { state: "silenced" as const, ...silence };
}
