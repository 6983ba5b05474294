import type { RoomEvent } from "@soul-hub/api";
import { jitter } from "./jitter.ts";
import { createMissedChanges } from "./missed-changes.ts";
import { type RoomError, readFailure } from "./room-error.ts";
import type { RoomTiming, SubscribeOptions } from "./rooms-client.ts";
import {
  type RoomSubscription,
  type RoomTransport,
  subscribeRoom,
  transports,
} from "./subscribe-room.ts";

export interface ConnectionStatus {
  /**
   * `live`: the room is up to date. `closed`: the room was closed by `close()` or by a permanent
   * `error`.
   */
  connection: "connecting" | "live" | "reconnecting" | "closed";
  /** The transport that is in use or being tried. */
  via: RoomTransport;
  /** Time of the connection loss, in milliseconds of `Date.now()`; undefined while live. */
  lost_at: number | undefined;
  error: RoomError | undefined;
}

export const initialStatus: ConnectionStatus = {
  connection: "connecting",
  via: "socket",
  lost_at: undefined,
  error: undefined,
};

export const roomTiming: RoomTiming = { timeoutMs: 6_000, pollMs: 2_000, upgradeMs: 3_000 };

/** Longest delay between two attempts at a better transport, in milliseconds. */
const UPGRADE_MAX_MS = 300_000;
/**
 * Maximum number of doublings of the delay before the next attempt, which is then at most 4 s. A
 * longer delay would last after a hub that was away for long is back.
 */
const RETRY_DOUBLINGS_MAX = 3;
/** Number of consecutive failures of a transport after which the room uses the next transport. */
const FAILURES_MAX = 2;

interface ConnectionOptions extends SubscribeOptions {
  /** True while the client lacks a change that the hub has named. */
  lacksChanges: () => boolean;
  /**
   * Called before events of another connection follow. It continues after the last event, or begins
   * at the cursor.
   */
  onRestart: (isResumed: boolean) => void;
  onEvent: (event: RoomEvent) => void;
  onChange: () => void;
}

/**
 * Stays connected to a room over the best transport that works: WebSocket, SSE, polling (0018).
 * While the room uses a fallback, better transports are tried in parallel. The room switches once
 * the better one has synced, so that no event is missed.
 */
export function connectRoom({ onEvent, onChange, onRestart, ...options }: ConnectionOptions) {
  const { timing } = options;
  const missedChanges = createMissedChanges({ ...options, onEvent: receive });
  let status = initialStatus;
  let current: RoomSubscription | undefined;
  let candidate: RoomSubscription | undefined;
  let failures = 0;
  let retries = 0;
  let upgrades = 0;
  let syncTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let upgradeTimer: ReturnType<typeof setTimeout> | undefined;

  function open(via: RoomTransport): void {
    clearTimeout(retryTimer);
    current?.close();
    onRestart(false);
    status = { ...status, via };
    awaitSync();
    current = subscribeRoom(via, options, {
      onEvent: receive,
      onDisconnect: handleDisconnect,
      onEnd: handleEnd,
    });
  }

  /**
   * Starts a timeout for the next `sync` event. If none arrives in time, the room falls back to the
   * next transport. Each poll has a timeout of its own.
   */
  function awaitSync(): void {
    clearTimeout(syncTimer);
    if (status.via !== "poll") syncTimer = setTimeout(fallBack, timing.timeoutMs);
  }

  function receive(event: RoomEvent): void {
    if (event.type === "sync") becomeLive();
    onEvent(event);
    // Each poll returns the changes by itself.
    if (status.via !== "poll") void missedChanges.read();
  }

  function becomeLive(): void {
    clearTimeout(syncTimer);
    failures = 0;
    retries = 0;
    status = { ...status, connection: "live", lost_at: undefined, error: undefined };
    if (status.via === "socket") upgrades = 0;
    else if (upgradeTimer === undefined) scheduleUpgrade();
  }

  function handleDisconnect(hasFailed = false): void {
    onRestart(true);
    if (status.connection === "live") {
      status = { ...status, connection: "reconnecting", lost_at: Date.now() };
      awaitSync();
    }
    if (hasFailed && status.via !== "poll" && ++failures >= FAILURES_MAX) fallBack();
    onChange();
  }

  function fallBack(): void {
    failures = 0;
    open(transports[transports.indexOf(status.via) + 1] ?? "poll");
    onChange();
  }

  function handleEnd(cause: unknown): void {
    const { isFinal, isFromHub, ...error } = readFailure(cause);
    clearTimeout(syncTimer);
    status = { ...status, error };
    if (isFinal) {
      close();
      onChange();
      return;
    }
    const { via } = status;
    // A refusal by the hub itself proves that the transport works, so it does not count as a
    // failure of the transport.
    handleDisconnect(!isFromHub);
    if (status.via === via) retryTimer = setTimeout(() => open(via), retryDelay());
  }

  const retryDelay = () => jitter(Math.min(retries++, RETRY_DOUBLINGS_MAX));

  function scheduleUpgrade(): void {
    const wait = Math.min(UPGRADE_MAX_MS, timing.upgradeMs * 2 ** upgrades++);
    upgradeTimer = setTimeout(() => upgrade("socket"), wait * (0.5 + Math.random() / 2));
  }

  /** Tries the transport `via` while the current one stays open. */
  function upgrade(via: RoomTransport): void {
    const buffered: RoomEvent[] = [];
    let isCurrent = false;
    const giveUp = () => {
      clearTimeout(timer);
      candidate?.close();
      candidate = undefined;
      const next = transports[transports.indexOf(via) + 1];
      if (next && transports.indexOf(next) < transports.indexOf(status.via)) upgrade(next);
      else scheduleUpgrade();
    };
    const timer = setTimeout(giveUp, timing.timeoutMs);
    upgradeTimer = timer;
    const attempt = subscribeRoom(via, options, {
      onEvent(event) {
        if (isCurrent) return receive(event);
        buffered.push(event);
        if (event.type !== "sync") return;
        isCurrent = true;
        switchTo(via, attempt, buffered);
      },
      onDisconnect: (hasFailed) => {
        if (isCurrent) handleDisconnect(hasFailed);
        else if (hasFailed) giveUp();
      },
      onEnd: (cause) => (isCurrent ? handleEnd(cause) : giveUp()),
    });
    candidate = attempt;
  }

  /** Switches to another transport synchronously, so that no event arrives in between. */
  function switchTo(
    via: RoomTransport,
    subscription: RoomSubscription,
    buffered: readonly RoomEvent[],
  ): void {
    clearTimeout(upgradeTimer);
    upgradeTimer = undefined;
    clearTimeout(retryTimer);
    candidate = undefined;
    current?.close();
    current = subscription;
    status = { ...status, via };
    const sync = buffered.at(-1);
    const isSameLog = sync?.type === "sync" && sync.recovered;
    onRestart(false);
    for (const event of buffered) {
      // The previous transport may already have delivered some of the buffered messages. These are
      // not applied twice.
      const cursor = options.cursor() ?? 0;
      if (!isSameLog) receive(event);
      else if (event.type === "sync") receive({ ...event, head: Math.max(event.head, cursor) });
      else if (event.type !== "message" || event.id > cursor) receive(event);
    }
  }

  function close(): void {
    status = { ...status, connection: "closed" };
    for (const timer of [syncTimer, retryTimer, upgradeTimer]) clearTimeout(timer);
    missedChanges.stop();
    current?.close();
    candidate?.close();
  }

  open("socket");
  return {
    get status() {
      return status;
    },
    /** Retries the connection now, e.g. because the network has changed. */
    retryNow() {
      if (status.connection === "closed") return;
      if (status.connection !== "live") {
        retries = 0;
        open("poll");
        onChange();
      } else if (status.via !== "socket" && !candidate) {
        clearTimeout(upgradeTimer);
        upgrades = 0;
        upgrade("socket");
      }
    },
    close,
  };
}
