import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import type { RateRule } from "../rate-limits.ts";
import { addressBlock } from "./guest-id.ts";
import type { KeyNeed, KeyScope } from "./key-scopes.schema.ts";
import type { Restriction } from "./restriction.schema.ts";
import type { Role } from "./role.schema.ts";
import type { Tier } from "./tier.schema.ts";

declare module "../context.ts" {
  interface RequestContext {
    /**
     * Looks up the caller, once per HTTP request. Subscriptions pass `again` to repeat the lookup.
     */
    identify(again?: "again"): Promise<Caller>;
    /**
     * Counts this call against the rate limits of the caller's account or address (0009). Sets the
     * `RateLimit-*` headers if the transport has response headers.
     * @param points cost of the call; default 1
     * @returns undefined if rate limits are off
     * @throws HubError `rate_limited`
     */
    limit(caller: Caller, rule: RateRule, points?: number): Promise<void> | undefined;
  }
  interface CallContext {
    caller: Caller;
  }
}

/**
 * The caller's account, as the database returned it for one call. The database clock decides
 * whether the pass is active.
 */
export interface CallerAccount {
  id: number;
  username: string;
  /** The tier in effect: `free` if the pass has expired. */
  tier: Tier;
  /** True if the account had a pass that expired. */
  passExpired: boolean;
  role: Role;
  /** True if a link has proved that the address is the account's (0059). */
  emailVerified: boolean;
  /** The suspension in effect; null for an account in good standing. */
  suspension: Restriction | null;
  /** The silence in effect; null for an account in good standing. */
  silence: Restriction | null;
}

/** The named key of a call (0050). */
export interface CallingKey {
  id: number;
  scopes: ReadonlySet<KeyScope>;
}

/** The identity behind a call (decisions §3). */
export type Caller =
  /** `named` is absent for the main key, which has all scopes. */
  | { kind: "key"; account: CallerAccount; named?: CallingKey | undefined }
  | { kind: "member"; account: CallerAccount; sessionHash: string }
  | { kind: "guest"; guest: Guest }
  /** A caller that sent ADMIN_TOKEN, which is valid for admin procedures only. */
  | { kind: "admin" }
  /**
   * A caller that sent a malformed, unknown, expired or revoked API key. Every endpoint responds with 401,
   * public ones included.
   */
  | { kind: "refused" };

export type AccountCaller = Extract<Caller, { account: CallerAccount }>;

/** The context of a call whose caller has an account. */
export interface AccountContext extends CallContext {
  caller: AccountCaller;
}

/**
 * Requires an active pass of a key. Sessions and guests need none: the daily quota bounds their cost.
 * @throws HubError `pass_required`, `pass_expired`
 */
export function assertPass(caller: Caller): void {
  if (caller.kind !== "key" || caller.account.tier !== "free") return;
  throw new HubError(caller.account.passExpired ? "pass_expired" : "pass_required");
}

/**
 * Reports whether the caller has a scope. Only named keys lack scopes: the main key and sessions
 * have all of them, and guests have no rights that a scope limits.
 */
export const hasScope = (caller: Caller, scope: KeyScope): boolean =>
  caller.kind !== "key" || !caller.named || caller.named.scopes.has(scope);

/** The refusal of a named key. `scope` is absent where no named key may call. */
export const scopeMissing = (scope?: KeyScope): HubError =>
  new HubError(
    "scope_missing",
    scope
      ? { message: `This API key lacks the scope ${scope}.`, extra: { scope } }
      : { message: "Only the main API key or a session can make this request." },
  );

/** @throws HubError `scope_missing` */
export function assertScope(caller: Caller, need: KeyNeed): void {
  if (caller.kind !== "key" || !caller.named || need === "public") return;
  if (need === "main") throw scopeMissing();
  if (!caller.named.scopes.has(need)) throw scopeMissing(need);
}

export const accountIdOf = (caller: Caller): number | null =>
  "account" in caller ? caller.account.id : null;

/**
 * Returns the rate limiter's key for a call: the caller's account, else its block of IP addresses. Guest ids and API
 * keys are not used, because a client can invent any number of them. The address is not hashed,
 * since it stays in memory only.
 */
export const countedAs = (caller: Caller, ip: string, rule: RateRule): string =>
  "account" in caller && !perAddress.has(rule) ? participantId(caller) : `ip:${addressBlock(ip)}`;

/**
 * Rules of calls that somebody without an account makes. With an account they count the same:
 * otherwise each new account would have calls of its own (0058, 0059).
 */
const perAddress: ReadonlySet<RateRule> = new Set(["register", "forgotPassword"]);

/** A caller without an account. */
export interface Guest {
  /** Id from the signed guest cookie, or else from IP address and user agent. */
  readonly id: string;
  /** The name that the guest has chosen, which its cookie holds; null without one. */
  readonly name: string | null;
  /**
   * Id that the guest had before it got its cookie. Null without a cookie, and once the cookie is a
   * minute old.
   */
  readonly before: string | null;
  /** False if IP address and user agent identify the guest. */
  readonly hasCookie: boolean;
  /**
   * Id for quotas and model calls. In the call that issues a cookie, it is the id that the guest
   * has without a cookie. Discarding cookies therefore yields no new quotas.
   */
  readonly quotaId: string;
  /**
   * Returns the cookie to set and the guest with that cookie; null if the guest has a valid cookie.
   * Repeated calls return the same new cookie.
   */
  keep(): KeptGuest | null;
  /** Returns the cookie and the guest with another name; null removes the name. */
  rename(name: string | null): KeptGuest;
}

export interface KeptGuest {
  cookie: string;
  guest: Guest;
}

/** Key of a caller's daily quota and of its limit of concurrent model calls. */
export const quotaSubject = (caller: Caller): string =>
  caller.kind === "guest" ? `guest:${caller.guest.quotaId}` : participantId(caller);

/** Id of a caller in rooms, quotas and messages: `account:<id>` or `guest:<id>`. */
export function participantId(caller: Caller): string {
  if (caller.kind === "guest") return `guest:${caller.guest.id}`;
  if (caller.kind === "key" || caller.kind === "member") return `account:${caller.account.id}`;
  throw new Error("Only accounts and guests take part in rooms.");
}
