import type { AppRouter, RoomEvent } from "@soul-hub/api";
import type { TRPCClient } from "@trpc/client";

export interface RoomName {
  soul_id: number;
  session_token: string;
}

/** `last_id` is the id of the newest message that the client has; undefined if it has none. */
type RoomInput = RoomName & { last_id: number | undefined };

/** `revision` is the revision up to which the client has the changes of the room. */
type SyncInput = RoomInput & { revision: number };

interface LiveHandlers {
  /** Selects the tRPC link of the subscription; see `createHubClient`. */
  context: { transport: "socket" | "stream" };
  onData(tracked: { id: string; data: RoomEvent }): void;
  onError(error: unknown): void;
  onComplete(): void;
  onConnectionStateChange(change: {
    state: "idle" | "connecting" | "pending";
    error?: unknown;
  }): void;
}

/** The response of `rooms.sync`. */
export type SyncResponse = Awaited<ReturnType<TRPCClient<AppRouter>["rooms"]["sync"]["query"]>>;

/** The part of the hub's tRPC client that a joined room calls. */
export interface LiveRoomsClient {
  rooms: {
    live: { subscribe(input: RoomInput, handlers: LiveHandlers): { unsubscribe(): void } };
    sync: { query(input: SyncInput, options: { signal: AbortSignal }): Promise<SyncResponse> };
  };
}

export interface RoomTiming {
  /** Timeout of the first sync and of each poll, in milliseconds. */
  timeoutMs: number;
  /** Interval between two polls, in milliseconds. */
  pollMs: number;
  /** Delay before the first attempt at a better transport; it doubles with each attempt. */
  upgradeMs: number;
}

export interface SubscribeOptions {
  client: LiveRoomsClient;
  name: RoomName;
  /** Returns the id of the newest message that the client has; undefined before the first sync. */
  cursor: () => number | undefined;
  /** Returns the revision up to which the client has the changes; undefined before the first sync. */
  revision: () => number | undefined;
  timing: RoomTiming;
}

export interface SubscriptionHandlers {
  onEvent(event: RoomEvent): void;
  /**
   * Called when the transport starts to connect. `hasFailed` is true after an error. It is false at
   * the socket's first attempt.
   */
  onDisconnect(hasFailed: boolean): void;
  /**
   * Called when the subscription has ended. `cause` is the error of the hub or the network, if any.
   */
  onEnd(cause: unknown): void;
}
