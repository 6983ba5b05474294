import type { PresentParticipant, RoomEvent, RoomMessage } from "@soul-hub/api";
import { jitter } from "./jitter.ts";
import type { RoomFeed, StreamingReply } from "./room-feed.ts";
import { applyRoomEvent, dropTyping, emptyFeed, TYPING_SHOWN_MS } from "./room-feed.ts";

interface LiveInput {
  soul_id: number;
  session_token: string;
  last_id?: number;
}

interface LiveHandlers {
  onData(tracked: { id: string; data: RoomEvent }): void;
  onError(error: unknown): void;
  onComplete(): void;
  onConnectionStateChange(change: { state: "idle" | "connecting" | "pending" }): void;
}

/** The part of the hub's tRPC client that a room needs. */
export interface LiveRoomsClient {
  rooms: { live: { subscribe(input: LiveInput, handlers: LiveHandlers): { unsubscribe(): void } } };
}

export interface RoomError {
  /** The hub's code, e.g. `private_session`; `unreachable` when it did not answer. */
  code: string;
  message: string;
}

export interface RoomState {
  /** `live`: up to date. `closed`: by `close()`, or for good by `error`. */
  connection: "connecting" | "live" | "reconnecting" | "closed";
  messages: readonly RoomMessage[];
  participants: readonly PresentParticipant[];
  online_count: number;
  /** Names of those who are typing. */
  typing: readonly string[];
  /** Replies being written; each gives way to its messages. */
  replies: readonly StreamingReply[];
  /** The last reply that came to nothing. */
  failed: RoomFeed["failed"];
  error: RoomError | undefined;
}

export interface JoinRoomOptions {
  client: LiveRoomsClient;
  soul_id: number;
  session_token: string;
  onChange?: () => void;
}

export interface JoinedRoom {
  /** The same object until something changes, as React's useSyncExternalStore wants it. */
  getSnapshot(): RoomState;
  /** Calls `listener` on every change; the answer stops that. */
  subscribe(listener: () => void): () => void;
  close(): void;
}

/**
 * Joins a room and stays in it: the client's socket resumes by itself when it is cut, and a
 * subscription that the hub ended is asked for again, unless the reason will not pass.
 */
export function joinRoom(options: JoinRoomOptions): JoinedRoom {
  const { client, soul_id, session_token } = options;
  const listeners = new Set<() => void>();
  if (options.onChange) listeners.add(options.onChange);
  let feed = emptyFeed;
  let connection: RoomState["connection"] = "connecting";
  let error: RoomError | undefined;
  let snapshot: RoomState | undefined;
  let subscription: { unsubscribe(): void } | undefined;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let typingTimer: ReturnType<typeof setTimeout> | undefined;

  function changed(): void {
    snapshot = undefined;
    for (const listener of [...listeners]) listener();
  }

  function take(event: RoomEvent): void {
    feed = applyRoomEvent(feed, event, performance.now());
    if (event.type === "typing") pruneTyping();
    if (event.type === "sync") {
      connection = "live";
      error = undefined;
      attempt = 0;
    }
    changed();
  }

  function pruneTyping(): void {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => {
      feed = dropTyping(feed, performance.now());
      if (feed.typing.length > 0) pruneTyping();
      changed();
    }, TYPING_SHOWN_MS / 4);
  }

  function lost(): void {
    if (connection === "live") connection = "reconnecting";
  }

  function open(): void {
    let isCurrent = true;
    const ended = (cause: unknown) => {
      // An error is followed by nothing, but completing may follow an error or our own close.
      if (!isCurrent || connection === "closed") return;
      isCurrent = false;
      endedBy(cause);
    };
    const last_id = feed.cursor;
    const input = { soul_id, session_token, ...(last_id === undefined ? {} : { last_id }) };
    subscription = client.rooms.live.subscribe(input, {
      onData: ({ data }) => {
        if (isCurrent && connection !== "closed") take(data);
      },
      onError: ended,
      onComplete: () => ended(undefined),
      onConnectionStateChange({ state }) {
        if (!isCurrent || connection === "closed" || state !== "connecting") return;
        lost();
        changed();
      },
    });
  }

  function endedBy(cause: unknown): void {
    const { isFinal, ...shown } = failureOf(cause);
    error = shown;
    if (isFinal) {
      stop();
    } else {
      lost();
      retry = setTimeout(open, jitter(attempt++));
    }
    changed();
  }

  function stop(): void {
    connection = "closed";
    clearTimeout(retry);
    clearTimeout(typingTimer);
    subscription?.unsubscribe();
  }

  open();
  return {
    getSnapshot() {
      snapshot ??= {
        connection,
        messages: feed.messages,
        participants: feed.participants,
        online_count: feed.online_count,
        typing: feed.typing.map(({ sender_name }) => sender_name),
        replies: feed.replies,
        failed: feed.failed,
        error,
      };
      return snapshot;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      if (connection === "closed") return;
      stop();
      changed();
    },
  };
}

interface HubFailure {
  message?: unknown;
  data?: { error?: unknown; httpStatus?: unknown } | null;
}

/** What the hub refused for a reason of the caller's will be refused again. */
function failureOf(cause: unknown): RoomError & { isFinal: boolean } {
  const failure: HubFailure = typeof cause === "object" && cause !== null ? cause : {};
  const status = Number(failure.data?.httpStatus ?? 0);
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const code = typeof failure.data?.error === "string" ? failure.data.error : "unreachable";
  const message = typeof failure.message === "string" ? failure.message : "The hub went away.";
  return { code, message, isFinal };
}
