import type { RoomState } from "@soul-hub/client";

const words: Record<RoomState["connection"], string> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
  closed: "Not connected",
};

/** The truth about the connection, for eyes and ears. */
export function ConnectionBadge({ connection }: { connection: RoomState["connection"] }) {
  return (
    <span className="connection" data-state={connection} role="status">
      <span className="connection__dot" aria-hidden="true" />
      {words[connection]}
    </span>
  );
}
