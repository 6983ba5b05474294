import type { PresentParticipant, ReplyInProgress, RoomEvent, RoomMessage } from "@soul-hub/api";

export interface RoomName {
  soul_id: number;
  session_token: string;
}

interface LiveHandlers {
  /** `route` says whether to come by `socket` or by `stream`; see `createHubClient`. */
  context: { route: "socket" | "stream" };
  onData(tracked: { id: string; data: RoomEvent }): void;
  onError(error: unknown): void;
  onComplete(): void;
  onConnectionStateChange(change: {
    state: "idle" | "connecting" | "pending";
    error?: unknown;
  }): void;
}

/** What chat-sync answers. */
export interface SyncAnswer {
  online_count: number;
  participants: PresentParticipant[];
  replies: ReplyInProgress[];
  head: number;
  recovered: boolean;
  has_more: boolean;
  is_private: boolean;
  you: PresentParticipant & { is_owner: boolean };
  new_messages: Omit<RoomMessage, "prev_id">[];
}

/** The part of the hub's tRPC client that a room needs. */
export interface LiveRoomsClient {
  rooms: {
    live: {
      subscribe(
        input: RoomName & { last_id?: number },
        handlers: LiveHandlers,
      ): { unsubscribe(): void };
    };
    sync: {
      query(
        input: RoomName & { last_id?: number },
        options: { signal: AbortSignal },
      ): Promise<SyncAnswer>;
    };
  };
}

export interface RouteOptions {
  client: LiveRoomsClient;
  name: RoomName;
  /** The newest message held; undefined before the first sync. */
  cursor: () => number | undefined;
  pollMs: number;
  /** An answer that takes longer does not come any more. */
  patienceMs: number;
}

export interface RouteHandlers {
  onEvent(event: RoomEvent): void;
  /** The socket is away and comes back by itself. `hasFailed`: not merely the first connecting. */
  onLost(hasFailed: boolean): void;
  /** It is over; `cause` is what the hub or the network said, if anything. */
  onEnd(cause: unknown): void;
}
