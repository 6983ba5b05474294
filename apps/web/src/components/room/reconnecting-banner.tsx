import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import { SmallButton } from "../ui/small-button.tsx";
import { useRoomContext } from "./room-context.ts";

/** A connection loss shorter than this, in milliseconds, is not shown. */
const SHOWN_AFTER_MS = 1_000;
const TICK_MS = 1_000;

/** Shows how long the connection has been lost, and what happens to missed messages. */
export function ReconnectingBanner() {
  const { room, retryNow } = useRoomContext();
  const [openedAt] = useState(Date.now);
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), TICK_MS, { autoInvoke: true });
  const since = room.lost_at ?? openedAt;
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  if (now - since < SHOWN_AFTER_MS) return null;
  return (
    <div className="note room__lost" data-tone="warn">
      <p role="status">
        <strong>
          {room.connection === "connecting" ? "The room is not answering" : "Connection lost"}
        </strong>{" "}
        <span aria-hidden="true">for {duration(seconds)}</span>
        <span className="room__lost-more">
          {" "}
          Reconnecting automatically.{" "}
          {room.replies.length > 0
            ? "The hub is still writing the reply; it appears when you are back online."
            : "Missed messages appear when you are back online."}
        </span>
      </p>
      <SmallButton onClick={retryNow}>Try now</SmallButton>
    </div>
  );
}

const MINUTE = 60;
const duration = (seconds: number): string =>
  seconds < MINUTE ? `${seconds} s.` : `${Math.floor(seconds / MINUTE)} min.`;
