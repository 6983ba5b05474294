import type { PresentParticipant, RoomEvent, RoomMessage } from "@soul-hub/api";
import {
  type ConnectionStatus,
  connectRoom,
  type RoomTiming,
  roomTiming,
} from "./room-connection.ts";
import type { RoomFeed, RoomSelf, StreamingReply } from "./room-feed.ts";
import { applyRoomEvent, dropTyping, emptyFeed, TYPING_SHOWN_MS } from "./room-feed.ts";
import type { LiveRoomsClient } from "./rooms-client.ts";

export interface RoomState extends ConnectionStatus {
  messages: readonly RoomMessage[];
  participants: readonly PresentParticipant[];
  online_count: number;
  /** The caller as the room knows them; undefined before the first sync. */
  you: RoomSelf | undefined;
  /** Its owner alone may be here. As of the last sync. */
  is_private: boolean;
  /** Names of those who are typing. */
  typing: readonly string[];
  /** Replies being written; each gives way to its messages. */
  replies: readonly StreamingReply[];
  /** The last reply that came to nothing, until something else is said. */
  failed: RoomFeed["failed"];
}

export interface JoinRoomOptions {
  client: LiveRoomsClient;
  soul_id: number;
  session_token: string;
  onChange?: () => void;
  timing?: Partial<RoomTiming>;
}

export interface JoinedRoom {
  /** The same object until something changes, as React's useSyncExternalStore wants it. */
  getSnapshot(): RoomState;
  /** Calls `listener` on every change; the answer stops that. */
  subscribe(listener: () => void): () => void;
  /** While away, or on a lesser way: tries at once instead of when it is time. */
  retryNow(): void;
  close(): void;
}

/**
 * Joins a room and stays in it, whichever way leads there: messages come in order and each once,
 * over every cut and every change of the way, unless the hub refuses for a reason that stays.
 */
export function joinRoom(options: JoinRoomOptions): JoinedRoom {
  const { client, soul_id, session_token, timing } = options;
  const listeners = new Set<() => void>();
  if (options.onChange) listeners.add(options.onChange);
  let feed = emptyFeed;
  let snapshot: RoomState | undefined;
  let typingTimer: ReturnType<typeof setTimeout> | undefined;

  function onChange(): void {
    snapshot = undefined;
    for (const listener of [...listeners]) listener();
  }

  function take(event: RoomEvent): void {
    feed = applyRoomEvent(feed, event, performance.now());
    if (event.type === "typing") pruneTyping();
    onChange();
  }

  function pruneTyping(): void {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => {
      feed = dropTyping(feed, performance.now());
      if (feed.typing.length > 0) pruneTyping();
      onChange();
    }, TYPING_SHOWN_MS / 4);
  }

  const connection = connectRoom({
    client,
    name: { soul_id, session_token },
    cursor: () => feed.cursor,
    timing: { ...roomTiming, ...timing },
    take,
    onChange,
  });
  return {
    getSnapshot() {
      snapshot ??= {
        ...connection.status,
        messages: feed.messages,
        participants: feed.participants,
        online_count: feed.online_count,
        you: feed.you,
        is_private: feed.is_private,
        typing: feed.typing.map(({ sender_name }) => sender_name),
        replies: feed.replies,
        failed: feed.failed,
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
