import type { RoomEvent } from "@soul-hub/api";
import { pollRoom } from "./poll-room.ts";
import type { RouteHandlers, RouteOptions } from "./rooms-client.ts";

/** The ways into a room, the best first: WebSocket, server-sent events, asking again and again. */
export const routes = ["socket", "stream", "poll"] as const;
export type RoomRoute = (typeof routes)[number];

export interface OpenRoute {
  close(): void;
}

/** Opens one way into the room. Once it has ended or was closed, nothing more comes of it. */
export function openRoute(
  route: RoomRoute,
  options: RouteOptions,
  handlers: RouteHandlers,
): OpenRoute {
  let isOpen = true;
  let stop: (() => void) | undefined;
  const close = () => {
    isOpen = false;
    stop?.();
    stop = undefined;
  };
  const onEnd = (cause: unknown) => {
    // An error is followed by nothing, but completing may follow an error or our own close.
    if (!isOpen) return;
    close();
    handlers.onEnd(cause);
  };
  const onEvent = (event: RoomEvent) => {
    if (isOpen) handlers.onEvent(event);
  };
  if (route === "poll") {
    stop = pollRoom(options, { onEvent, onEnd });
  } else {
    // The socket is shared: what it says of itself as one subscribes is how it failed before.
    let isBegun = false;
    const last_id = options.cursor();
    const input = { ...options.name, ...(last_id === undefined ? {} : { last_id }) };
    const subscription = options.client.rooms.live.subscribe(input, {
      context: { route },
      onData: ({ data }) => onEvent(data),
      onError: onEnd,
      onComplete: () => onEnd(undefined),
      onConnectionStateChange({ state, error }) {
        if (!isOpen || !isBegun || state !== "connecting") return;
        // A stream would come back after a time that is the same for everybody.
        if (route === "stream" && error) onEnd(error);
        else handlers.onLost(Boolean(error));
      },
    });
    isBegun = true;
    stop = () => subscription.unsubscribe();
  }
  if (!isOpen) close();
  return { close };
}
