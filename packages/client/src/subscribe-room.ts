import type { RoomEvent } from "@soul-hub/api";
import { pollRoom } from "./poll-room.ts";
import type { SubscribeOptions, SubscriptionHandlers } from "./rooms-client.ts";

/** Transports for a room's events, best first (0018). */
export const transports = ["socket", "stream", "poll"] as const;
export type RoomTransport = (typeof transports)[number];

export interface RoomSubscription {
  close(): void;
}

/** Subscribes to a room over one transport. A closed or ended subscription calls no handler. */
export function subscribeRoom(
  transport: RoomTransport,
  options: SubscribeOptions,
  handlers: SubscriptionHandlers,
): RoomSubscription {
  let isOpen = true;
  let stop: (() => void) | undefined;
  const close = () => {
    isOpen = false;
    stop?.();
    stop = undefined;
  };
  const onEnd = (cause: unknown) => {
    // tRPC may call onComplete after onError, or after the client has unsubscribed.
    if (!isOpen) return;
    close();
    handlers.onEnd(cause);
  };
  const onEvent = (event: RoomEvent) => {
    if (isOpen) handlers.onEvent(event);
  };
  if (transport === "poll") {
    stop = pollRoom(options, { onEvent, onEnd });
  } else {
    // On subscribing, tRPC first reports an earlier state of the shared socket, which may be a
    // failure. That report is ignored.
    let isSubscribed = false;
    const input = { ...options.name, last_id: options.cursor() };
    const subscription = options.client.rooms.live.subscribe(input, {
      context: { transport },
      onData: ({ data }) => onEvent(data),
      onError: onEnd,
      onComplete: () => onEnd(undefined),
      onConnectionStateChange({ state, error }) {
        if (!isOpen || !isSubscribed || state !== "connecting") return;
        // tRPC's SSE link would retry after a fixed delay. Therefore the stream ends on an error,
        // and the room retries with jitter.
        if (transport === "socket") handlers.onDisconnect(Boolean(error));
        else if (error) onEnd(error);
      },
    });
    isSubscribed = true;
    stop = () => subscription.unsubscribe();
  }
  if (!isOpen) close();
  return { close };
}
