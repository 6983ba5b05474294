import type { RoomState } from "@soul-hub/client";
import { useRoomContext } from "./room-context.ts";

const labels: Record<RoomState["connection"], string> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
  closed: "Not connected",
};

export function ConnectionBadge() {
  const { connection, via } = useRoomContext().room;
  const isPolling = connection === "live" && via === "poll";
  return (
    <span
      className="row small connection"
      data-state={connection}
      role="status"
      title={
        isPolling
          ? "Your network blocks live connections. This page checks for messages every two seconds."
          : undefined
      }
    >
      <span className="connection__dot" aria-hidden="true" />
      {isPolling ? "Live, with a short delay" : labels[connection]}
    </span>
  );
}
