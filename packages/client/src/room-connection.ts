import type { RoomEvent } from "@soul-hub/api";
import { jitter } from "./jitter.ts";
import { type RoomError, readFailure } from "./room-error.ts";
import { type OpenRoute, openRoute, type RoomRoute, routes } from "./room-route.ts";
import type { RouteOptions } from "./rooms-client.ts";

export interface ConnectionStatus {
  /** `live`: up to date. `closed`: by `close()`, or for good by `error`. */
  connection: "connecting" | "live" | "reconnecting" | "closed";
  /** How the room is reached, or how that is being tried. */
  via: RoomRoute;
  /** Since when it has not been live any more, in milliseconds of `Date.now()`. */
  lost_at: number | undefined;
  error: RoomError | undefined;
}

export interface RoomTiming {
  /** A way that has not brought the room after this long is given up for the next one. */
  patienceMs: number;
  /** Between two questions, where asking is the only way. */
  pollMs: number;
  /** Until a better way is tried for the first time; each next time takes twice as long. */
  climbMs: number;
}

export const roomTiming: RoomTiming = { patienceMs: 6_000, pollMs: 2_000, climbMs: 3_000 };

const CLIMB_LONGEST_MS = 300_000;
/** One that fails twice in a row does not come up here. */
const FAILURES = 2;

interface ConnectionOptions extends Omit<RouteOptions, keyof RoomTiming> {
  timing: RoomTiming;
  take: (event: RoomEvent) => void;
  onChange: () => void;
}

/**
 * Stays connected to a room: by a socket; where none comes up, by a stream; where that is blocked
 * as well, by asking. While on a lesser way it tries the better ones beside it, and moves over
 * once one has brought the room up to date, so that nothing is missed in between.
 */
export function connectRoom({ timing, take, onChange, ...options }: ConnectionOptions) {
  const routeOptions = { ...options, ...timing };
  let status: ConnectionStatus = {
    connection: "connecting",
    via: "socket",
    lost_at: undefined,
    error: undefined,
  };
  let current: OpenRoute | undefined;
  let candidate: OpenRoute | undefined;
  let failures = 0;
  let retries = 0;
  let climbs = 0;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let climbing: ReturnType<typeof setTimeout> | undefined;

  function open(via: RoomRoute): void {
    clearTimeout(retry);
    current?.close();
    status = { ...status, via };
    awaitSync();
    current = openRoute(via, routeOptions, { onEvent: hear, onLost: lose, onEnd: end });
  }

  /** A question that is not answered ends by itself. */
  function awaitSync(): void {
    clearTimeout(patience);
    if (status.via !== "poll") patience = setTimeout(stepDown, timing.patienceMs);
  }

  function hear(event: RoomEvent): void {
    if (event.type === "sync") arrive();
    take(event);
  }

  function arrive(): void {
    clearTimeout(patience);
    failures = 0;
    retries = 0;
    status = { ...status, connection: "live", lost_at: undefined, error: undefined };
    if (status.via === "socket") climbs = 0;
    else if (climbing === undefined) climbLater();
  }

  function lose(hasFailed = false): void {
    if (status.connection === "live") {
      status = { ...status, connection: "reconnecting", lost_at: Date.now() };
      awaitSync();
    }
    if (hasFailed && status.via !== "poll" && ++failures >= FAILURES) stepDown();
    onChange();
  }

  function stepDown(): void {
    failures = 0;
    open(routes[routes.indexOf(status.via) + 1] ?? "poll");
    onChange();
  }

  function end(cause: unknown): void {
    const { isFinal, isHubs, ...error } = readFailure(cause);
    clearTimeout(patience);
    status = { ...status, error };
    if (isFinal) close();
    else tryAgain(isHubs);
    onChange();
  }

  function tryAgain(isHubs: boolean): void {
    const { via } = status;
    // What the hub said has reached us: the way is there.
    lose(!isHubs);
    if (status.via === via) retry = setTimeout(() => open(via), jitter(retries++));
  }

  function climbLater(): void {
    const wait = Math.min(CLIMB_LONGEST_MS, timing.climbMs * 2 ** climbs++);
    climbing = setTimeout(() => climb("socket"), wait * (0.5 + Math.random() / 2));
  }

  /** Tries a better way beside the present one. */
  function climb(via: RoomRoute): void {
    const missed: RoomEvent[] = [];
    let isChosen = false;
    const giveUp = () => {
      clearTimeout(timer);
      candidate?.close();
      candidate = undefined;
      const next = routes[routes.indexOf(via) + 1];
      if (next && routes.indexOf(next) < routes.indexOf(status.via)) climb(next);
      else climbLater();
    };
    const timer = setTimeout(giveUp, timing.patienceMs);
    climbing = timer;
    const tried = openRoute(via, routeOptions, {
      onEvent(event) {
        if (isChosen) return hear(event);
        missed.push(event);
        if (event.type !== "sync") return;
        isChosen = true;
        moveTo(via, tried, missed);
      },
      onLost: (hasFailed) => {
        if (isChosen) lose(hasFailed);
        else if (hasFailed) giveUp();
      },
      onEnd: (cause) => (isChosen ? end(cause) : giveUp()),
    });
    candidate = tried;
  }

  /** In one turn: from here on the new way alone is heard. */
  function moveTo(via: RoomRoute, route: OpenRoute, missed: readonly RoomEvent[]): void {
    clearTimeout(climbing);
    climbing = undefined;
    clearTimeout(retry);
    candidate = undefined;
    current?.close();
    current = route;
    status = { ...status, via };
    const sync = missed.at(-1);
    const isOneLog = sync?.type === "sync" && sync.recovered;
    for (const event of missed) {
      // The present way may have been ahead of the new one.
      const cursor = options.cursor() ?? 0;
      if (!isOneLog) hear(event);
      else if (event.type === "sync") hear({ ...event, head: Math.max(event.head, cursor) });
      else if (event.type !== "message" || event.id > cursor) hear(event);
    }
  }

  function close(): void {
    status = { ...status, connection: "closed" };
    for (const timer of [patience, retry, climbing]) clearTimeout(timer);
    current?.close();
    candidate?.close();
  }

  open("socket");
  return {
    get status() {
      return status;
    },
    /** The network may have changed: no waiting for the next try, of the room or a better way. */
    retryNow() {
      if (status.connection === "closed") return;
      if (status.connection !== "live") {
        retries = 0;
        open("poll");
        onChange();
      } else if (status.via !== "socket" && !candidate) {
        clearTimeout(climbing);
        climbs = 0;
        climb("socket");
      }
    },
    close,
  };
}
