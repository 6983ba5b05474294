import { useInterval } from "@mantine/hooks";
import { useState } from "react";

/** A model that needs no longer than this for its first words, in seconds, is not called slow. */
const SLOW_AFTER = 4;
const TICK_MS = 1_000;

interface ThinkingProps {
  /** With deep think, the first words always take long. */
  isDeep: boolean;
  /** Stops the reply; undefined if the reader may not. */
  onStop: (() => void) | undefined;
}

/** Shows how long a reply without words has taken, and offers to stop it. */
export function Thinking({ isDeep, onStop }: ThinkingProps) {
  const [since] = useState(Date.now);
  const [now, setNow] = useState(since);
  useInterval(() => setNow(Date.now()), TICK_MS, { autoInvoke: true });
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  if (!isDeep && seconds < SLOW_AFTER) return null;
  return (
    <div className="row small line__thinking">
      <span>
        <span role="status">Still thinking…</span> <span aria-hidden="true">{seconds} s</span>
      </span>
      {onStop && (
        <button type="button" className="plain-button line__action" onClick={onStop}>
          Stop
        </button>
      )}
    </div>
  );
}
