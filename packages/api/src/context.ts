import type { Logger } from "pino";
import type { AccountReads } from "./accounts/account.queries.ts";
import type { AccountCaller, Caller } from "./accounts/caller.ts";
import type { LoginThrottle } from "./accounts/login-throttle.ts";
import type { OwnModels } from "./chat/byok/own-models.ts";
import type { RoomReads } from "./chat/chat-room.queries.ts";
import type { ChatTurns } from "./chat/chat-turns.ts";
import type { ModelPort } from "./chat/models/model-port.ts";
import type { MemoryReads } from "./chat/room-memory.queries.ts";
import type { RunningReplies } from "./chat/running-replies.ts";
import type { StoringLine } from "./chat/storing-line.ts";
import type { ModelUsageLog } from "./chat/usage/model-usage-log.ts";
import type { Database } from "./db/connect.ts";
import type { Db } from "./db/entities.ts";
import type { HandOver } from "./doors/hand-over.ts";
import type { HubMetrics } from "./metrics.ts";
import type { TierTable } from "./quota/tier-table.ts";
import type { UnitReservations } from "./quota/unit-reservations.ts";
import type { RateLimits, RateRule } from "./rate-limits.ts";
import type { ActiveRooms } from "./rooms/active-rooms.ts";
import type { RoomOutlet } from "./rooms/room-outlet.ts";
import type { Soon } from "./soon.ts";
import type { SoulReads } from "./souls/soul.queries.ts";
import type { Vault } from "./vault.ts";
import type { ChainPort } from "./wallet/chain-port.ts";

/** What the operator decided (decisions §8), as far as the hub itself must know it. */
export interface HubConfig {
  version: string;
  /** Where people reach the hub, without a slash at the end. Known once the server listens. */
  baseUrl: string;
  adminToken: string | null;
  tiers: TierTable;
  /** Calls to models that this server runs at a time; more wait (decisions §5: 256). */
  modelCallsAtOnce: number;
  /** Login throttling among them; off for load tests. */
  rateLimits: boolean;
}

/** One running hub: everything that outlives a call. */
export interface Hub {
  config: HubConfig;
  database: Database;
  vault: Vault;
  accounts: AccountReads;
  loginThrottle: LoginThrottle;
  souls: SoulReads;
  rooms: ActiveRooms;
  /** What carries the rooms' events, and whether other servers are within reach. */
  bus(): "in-process" | "ok" | "down";
  chatRooms: RoomReads;
  memories: MemoryReads;
  reserveUnits: UnitReservations;
  /** Called through `callModel` (chat/model-usage.ts), which records what it cost. */
  models: ModelPort;
  /** Behind the keys that accounts bring (decisions §5, BYOK). */
  ownModels: OwnModels;
  modelUsage: ModelUsageLog;
  /** Null where the operator named no endpoint: wallets are then pinned (decisions §4). */
  chain: ChainPort | null;
  turns: ChatTurns;
  replies: RunningReplies;
  storing: StoringLine;
  metrics: HubMetrics;
  /** Null where they are off: a read then waits for nothing here. */
  rateLimits: RateLimits | null;
  /** Work that goes on after an answer; `close` waits for it. Failures are logged. */
  inBackground(doing: string, work: Promise<unknown>): void;
  /** Of the connections that stay open: whom a hub that stops sends to the other servers. */
  handOver: HandOver;
  /** Aborts when the hub begins to stop. */
  stopping: AbortSignal;
  /**
   * Starts nothing new and lets what runs come to its end: replies for a while, then they are
   * called back, their units given back and their rooms told. Meanwhile live subscriptions move to
   * other servers; those that stay end last.
   */
  drain(): Promise<void>;
  close(): Promise<void>;
  log: Logger;
}

/** A way in (decisions, words used). */
export type Door = "rest" | "trpc" | "socket";

export interface CookieOptions {
  /** Seconds; without it the cookie goes with the browser. 0 clears it. */
  maxAge?: number;
}

/** A piece of a reply. `offset` counts the UTF-16 code units before it. */
export interface ReplyDelta {
  offset: number;
  text: string;
}

/** What the socket or request that a call came in on has for its subscriptions. */
export interface Connection {
  /**
   * Where a subscription's events may go without being asked for, on a socket. Without it, over
   * SSE, they are asked for one by one.
   * @throws HubError `rate_limited` with as many subscriptions as a socket may have
   */
  openOutlet?(): LiveOutlet;
  /** Of a socket: aborts when it is gone. tRPC tells a call over HTTP, but not one over a socket. */
  readonly closed?: AbortSignal;
}

export interface LiveOutlet extends RoomOutlet {
  /** The subscription has started, which is said before its first event; and how its frames begin. */
  start(wording: string): void;
}

/** A subscription that fills its outlet by itself, where its door knows how to begin each frame. */
export interface PushedEvents {
  /** @param onEnd called once: with what it failed of, or with nothing */
  push(wording: string, onEnd: (failure?: unknown) => void): void;
  /** Also before `push`, which then isn't called any more. */
  stop(): void;
}

/**
 * Does whatever a repeated call would do beside making the answer, and tells whether that would be
 * the same. It outlives the call: it must not hold on to its context.
 */
export type StillStands = (caller: Caller) => Soon<boolean>;

/** What every call knows before anybody asked who is calling. */
export interface DoorContext {
  hub: Hub;
  door: Door;
  requestId: string;
  connection: Connection;
  log: Logger;
  /**
   * Who is calling. Over HTTP the answer is kept for the request; `again` asks anew, since
   * a subscription outlives passes, keys and sessions. No promise where no table has to be asked.
   */
  identify(again?: "again"): Soon<Caller>;
  /**
   * Set where the door would give the same answer again to the same question of the same caller
   * (docs/decisions/0021): whoever makes an answer that may be given again says how to tell that it
   * still stands.
   */
  standsWhile?: ((stands: StillStands) => void) | undefined;
  /** Set for a REST caller who asked for a stream: gets the reply in pieces. */
  onDelta?: ((delta: ReplyDelta) => void) | undefined;
  /** Over SSE: aborts, with the reason, when the subscription has to move to another server. */
  leaving?: AbortSignal | undefined;
  /** Stands for the address that the call comes from, one household wide (decisions §3). */
  ipHash(): string;
  /** The browser says that the call comes from the hub's own pages (decisions §3, CSRF). */
  sameOrigin: boolean;
  /**
   * Counts this call against the limits of its account or address, and tells what is left where an
   * answer has headers (docs/decisions/0009).
   * @returns undefined where limits are off: then nobody waits
   * @throws HubError `rate_limited`
   */
  limit(caller: Caller, rule: RateRule): Promise<void> | undefined;
  /** Does nothing where no answer can carry a cookie (WebSocket). */
  setCookie(name: "session" | "guest", value: string, options: CookieOptions): void;
}

/** What a procedure and its service know. */
export interface CallContext extends DoorContext {
  caller: Caller;
  db: Db;
}

/** A call by somebody with an account. */
export interface AccountContext extends CallContext {
  caller: AccountCaller;
}
