import type { Logger } from "pino";
import type { Database, Db } from "./db/database.ts";
import type { HubMetrics } from "./metrics.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Vault } from "./vault.ts";

/**
 * The operator's settings that the hub itself needs (decisions §8). A slice adds a setting whose type
 * is the slice's own, as it does for {@link Hub} (0027).
 */
export interface HubConfig {
  version: string;
  /** The public URL of the hub, without a trailing slash. Set once the server listens. */
  baseUrl: string;
  adminToken: string | null;
  /** True to apply the request rate limits and the login throttling. Load tests turn both off. */
  rateLimits: boolean;
  /** True if a CDN may store the responses that all callers without a credential share (0032). */
  cdnCache: boolean;
  /** Milliseconds from which a statement is logged as slow; 0 logs none (0070). */
  slowQueryMs: number;
  /** Origins of websites that may call `/mcp`, beside the hub's own. */
  mcpAllowedOrigins: readonly string[];
  /** The operator's address and the links to the rules; null if the operator set none. */
  about: Record<"contact" | "termsUrl" | "privacyUrl", string | null>;

  /** Whether everyone may register, only holders of an invite, or no one (0058). */
  registration: "open" | "invite" | "closed";
  /** True if callers without an account may chat and listen (0058). */
  guests: boolean;
  /**
   * `off`: registering sends no mail. `optional`: addresses can be verified. `required`: an account
   * without a verified address may not publish (0059).
   */
  emailVerification: "off" | "optional" | "required";
  /** Reports within a day that take a soul out of the lists; 0 for none (0062). */
  autoLimit: number;

  /** Concurrent model calls of this server (default 256). Further calls wait. */
  modelCallsAtOnce: number;
  /** The most bytes of packages that the souls and versions of one account may hold. */
  storageBytesPerAccount: number;
  /**
   * Free bytes of disk below which a hub with an embedded database refuses writes (0031). 0 turns
   * this check off.
   */
  diskReserveBytes: number;

  /** Days after a room's last message after which the room is deleted; 0 keeps it (0035). */
  retainRoomsDays: number;
  /** The same for rooms that a guest owns. The shorter of both times applies. */
  retainGuestRoomsDays: number;
  /** Days after which usage rows are deleted (0013); 0 keeps them. */
  retainUsageDays: number;
  /** Days after the last decision after which a case is deleted; 0 keeps it (0062). */
  retainReportsDays: number;
  /** Days after which rows of the audit log are deleted; 0 keeps them (0057). */
  retainAuditDays: number;
  /** Days between the request to delete an account and its deletion; 0 deletes at once (0063). */
  deletionGraceDays: number;
}

/**
 * One running hub: everything that outlives a call. Each slice adds its members with
 * `declare module "../context.ts"`, so that this file imports no slice (0027).
 */
export interface Hub {
  config: HubConfig;
  database: Database;
  vault: Vault;
  metrics: HubMetrics;
  /** The request rate limits. Null if `RATE_LIMITS=off`. */
  rateLimits: RateLimits | null;
  /**
   * Runs work that may continue after its call's response. Failures are logged, and `close` waits
   * for the work.
   */
  inBackground(task: string, work: Promise<unknown>): void;
  /** A signal that aborts when the hub begins to stop. */
  stopping: AbortSignal;
  /**
   * Refuses new calls and lets running replies finish for a while. Then cancels the remaining
   * replies, refunds their units and notifies their rooms. Meanwhile subscriptions move to other
   * servers.
   */
  drain(): Promise<void>;
  close(): Promise<void>;
  log: Logger;
}

/** The transport that carried a call (docs/glossary.md). */
export type Transport = "rest" | "trpc" | "socket";

export interface CookieOptions {
  /**
   * The cookie's lifetime in seconds. Without it the cookie ends with the browser session; 0
   * deletes the cookie.
   */
  maxAge?: number;
}

/** The reply to which a streamed piece belongs. Self-chat has neither field. */
export interface StreamedReply {
  reply_id?: string;
  soul_id?: number;
}

/**
 * Receives a piece of a reply. Each reply begins with an object of its own.
 * @param speaker the name of the soul, if several were asked
 */
export type OnDelta = (text: string, reply: StreamedReply, speaker?: string) => void;

/** A call as its transport passes it on, before the caller is identified. */
export interface RequestContext {
  hub: Hub;
  transport: Transport;
  requestId: string;
  log: Logger;
  /** Receives the pieces of replies. Set if a REST caller asked for a stream. */
  onDelta?: OnDelta | undefined;
  /** The user agent of the caller, of which sessions keep the name of browser and system (0059). */
  userAgent: string;
  /** The media type of the body of an HTTP request, without parameters; absent on a socket. */
  mediaType?: string | undefined;
  /** Returns a keyed hash of the caller's IP address block (decisions §3). */
  ipHash(): string;
  /** True if the browser states that a page of this hub sent the call (decisions §3, CSRF). */
  sameOrigin: boolean;
  /**
   * Sets a cookie in the response. Over WebSocket this has no effect, because no response carries
   * cookies.
   */
  setCookie(name: "session" | "guest", value: string, options: CookieOptions): void;
  /**
   * Returns the participant id of the guest of the call's cookie, for every kind of caller; null
   * without a valid one.
   */
  guestOfCookie(): string | null;
}

/** The context of a call in its procedure and services. */
export interface CallContext extends RequestContext {
  db: Db;
}
