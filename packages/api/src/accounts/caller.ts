import { addressBlock } from "./guest-id.ts";
import type { Tier } from "./tier.schema.ts";

/** An account as one call sees it. The pass is judged by the database clock at that call (decisions, words used). */
export interface CallerAccount {
  id: number;
  username: string;
  /** The effective tier: an expired pass counts as free. */
  tier: Tier;
  /** There was a pass, and it has run out. */
  passExpired: boolean;
}

/** Whoever makes a call (decisions, words used). */
export type Caller =
  | { kind: "key"; account: CallerAccount }
  | { kind: "member"; account: CallerAccount; sessionHash: string }
  | { kind: "guest"; guest: Guest }
  /** Bears the operator's ADMIN_TOKEN; may use the admin procedures and nothing else. */
  | { kind: "admin" }
  /** Bears a key that is malformed, unknown or revoked: refused everywhere, also where no key is needed. */
  | { kind: "refused" };

export type AccountCaller = Extract<Caller, { account: CallerAccount }>;

export const accountIdOf = (caller: Caller): number | null =>
  "account" in caller ? caller.account.id : null;

/**
 * Who a call counts for: an account, or an address for all its guests and for whoever shows a bad
 * key, since new ones are for free. The address stays in memory, so it needs no hash, which would
 * cost a fifth of a read.
 */
export const countedAs = (caller: Caller, ip: string): string =>
  "account" in caller ? participantId(caller) : `ip:${addressBlock(ip)}`;

/** Everything about a guest is worked out when first asked for: most public reads never ask. */
export interface Guest {
  /** From the signed cookie or, for a caller without any cookie, from its IP and user agent. */
  readonly id: string;
  /** The id that this guest had before its cookie, while that cookie is fresh. */
  readonly before: string | null;
  /** Keyed hash of the IP (IPv6 cut to /64): guests share a daily quota per IP. */
  readonly ipHash: string;
  /** False while it is known by address alone. */
  readonly hasCookie: boolean;
  /**
   * Whose quota and turns it takes: its own, but the cookie-less guest's in the call that makes it.
   * Whoever throws the cookie away would otherwise have a new quota with every call.
   */
  readonly quotaId: string;
  /**
   * The cookie to hand it, and the guest it is with that cookie: the same in all of one request.
   * Null when it holds a good one.
   */
  keep(): KeptGuest | null;
}

export interface KeptGuest {
  cookie: string;
  guest: Guest;
}

/** Whose daily quota and whose turns a call takes. */
export const quotaSubject = (caller: Caller): string =>
  caller.kind === "guest" ? `guest:${caller.guest.quotaId}` : participantId(caller);

/** Names a caller in rooms, quotas and messages: `account:<id>` or `guest:<id>`. */
export function participantId(caller: Caller): string {
  if (caller.kind === "guest") return `guest:${caller.guest.id}`;
  if (caller.kind === "key" || caller.kind === "member") return `account:${caller.account.id}`;
  throw new Error("Only accounts and guests take part in rooms.");
}
