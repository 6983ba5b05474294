import type { RoomState } from "@soul-hub/client";

const words: Record<RoomState["connection"], string> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
  closed: "Not connected",
};

/** The truth about the connection, for eyes and ears. */
export function ConnectionBadge({ connection, via }: Pick<RoomState, "connection" | "via">) {
  const isSlow = connection === "live" && via === "poll";
  return (
    <span
      className="connection"
      data-state={connection}
      role="status"
      title={
        isSlow
          ? "Your network blocks live connections. The room is asked every two seconds."
          : undefined
      }
    >
      <span className="connection__dot" aria-hidden="true" />
      {isSlow ? "Live, a little late" : words[connection]}
    </span>
  );
}
