import { Button } from "@mantine/core";
import type { RoomState } from "@soul-hub/client";
import { useEffect, useState } from "react";

interface LostNoteProps {
  room: RoomState;
  onRetry: () => void;
}

/** Shorter cuts are nobody's business. */
const UNSAID_MS = 1_000;
const TICK_MS = 1_000;

/** How long the room has been away, what happens about it, and what comes back with it. */
export function LostNote({ room, onRetry }: LostNoteProps) {
  const [openedAt] = useState(Date.now);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(ticking);
  }, []);
  const since = room.lost_at ?? openedAt;
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  if (now - since < UNSAID_MS) return null;
  const writing = room.replies.length > 0;
  return (
    <div className="room__lost">
      <p role="status">
        <strong>
          {room.connection === "connecting" ? "The room does not answer yet" : "Connection lost"}
        </strong>{" "}
        <span aria-hidden="true">for {lengthOf(seconds)}</span>
        <span className="room__lost-more">
          {" "}
          Trying again by itself.{" "}
          {writing
            ? "The reply goes on at the hub; it and all you miss come as soon as it is back."
            : "What you miss comes as soon as it is back."}
        </span>
      </p>
      <Button size="compact-sm" variant="default" onClick={onRetry}>
        Try now
      </Button>
    </div>
  );
}

const MINUTE = 60;
const lengthOf = (seconds: number): string =>
  seconds < MINUTE ? `${seconds} s.` : `${Math.floor(seconds / MINUTE)} min.`;
