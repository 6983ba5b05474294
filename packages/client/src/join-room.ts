import type { RoomEvent } from "@soul-hub/api";
import {
  type ConnectionStatus,
  connectRoom,
  initialStatus,
  roomTiming,
} from "./room-connection.ts";
import type { RoomFeed } from "./room-feed.ts";
import {
  applyRoomEvent,
  emptyFeed,
  expireTyping,
  lacksChanges,
  restartFeed,
  TYPING_SHOWN_MS,
} from "./room-feed.ts";
import type { LiveRoomsClient, RoomName, RoomTiming } from "./rooms-client.ts";

/** An immutable snapshot of a joined room: its connection and its content. */
export interface RoomState
  extends ConnectionStatus,
    Omit<RoomFeed, "typing" | "cursor" | "pending" | "knownRevision"> {
  /** Names of the participants who are typing a message. */
  typing: readonly string[];
}

/** The state of a room before the hub has sent an event. */
export const emptyRoom: RoomState = { ...initialStatus, ...emptyFeed, typing: [] };

interface JoinRoomOptions extends RoomName {
  client: LiveRoomsClient;
  timing?: Partial<RoomTiming>;
}

export interface JoinedRoom {
  /** Returns the same object until the room changes, for React's useSyncExternalStore. */
  getSnapshot(): RoomState;
  /** Calls `listener` on every change of the room. Returns a function that removes it. */
  subscribe(listener: () => void): () => void;
  /**
   * Tries at once to reconnect. A room that is connected over a fallback tries a better transport
   * instead.
   */
  retryNow(): void;
  close(): void;
}

/**
 * Joins a room and stays connected to it over any transport (0018). Messages arrive in order, each
 * exactly once, across reconnects and changes of transport. If the hub refuses the caller
 * permanently, the room closes with the reason in `error`.
 */
export function joinRoom(options: JoinRoomOptions): JoinedRoom {
  const { client, soul_id, session_token, timing } = options;
  const listeners = new Set<() => void>();
  let feed = emptyFeed;
  let snapshot: RoomState | undefined;
  let typingTimer: ReturnType<typeof setTimeout> | undefined;

  function onChange(): void {
    snapshot = undefined;
    for (const listener of [...listeners]) listener();
  }

  function applyEvent(event: RoomEvent): void {
    feed = applyRoomEvent(feed, event, performance.now());
    if (event.type === "typing") pruneTyping();
    onChange();
  }

  function pruneTyping(): void {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => {
      feed = expireTyping(feed, performance.now());
      if (feed.typing.length > 0) pruneTyping();
      onChange();
    }, TYPING_SHOWN_MS / 4);
  }

  const connection = connectRoom({
    client,
    name: { soul_id, session_token },
    cursor: () => feed.cursor,
    revision: () => feed.revision,
    lacksChanges: () => lacksChanges(feed),
    timing: { ...roomTiming, ...timing },
    onRestart(isResumed) {
      feed = restartFeed(feed, isResumed);
    },
    onEvent: applyEvent,
    onChange,
  });
  return {
    getSnapshot() {
      snapshot ??= {
        ...connection.status,
        ...feed,
        typing: feed.typing.map(({ sender_name }) => sender_name),
      };
      return snapshot;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryNow: connection.retryNow,
    close() {
      if (connection.status.connection === "closed") return;
      clearTimeout(typingTimer);
      connection.close();
      onChange();
    },
  };
}
