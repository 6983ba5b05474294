import { useEffect, useRef } from "react";
import { RestrictionForm } from "../../people/restriction-form.tsx";
import type { ShownMessage } from "../use-older-messages.ts";

interface RestrictPanelProps {
  line: ShownMessage;
  onClose: () => void;
}

/** Mutes or bans the sender of a message. Names of guests may be equal, so the message names it. */
export function RestrictPanel({ line, onClose }: RestrictPanelProps) {
  const { id, sender_name } = line;
  const panel = useRef<HTMLDivElement>(null);
  // The focused field alone would be scrolled into view, without the question above it. Its focus
  // comes before the next frame.
  useEffect(() => {
    const frame = requestAnimationFrame(() => panel.current?.scrollIntoView({ block: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div
      ref={panel}
      className="note line__panel"
      role="dialog"
      aria-label={`Mute or ban ${sender_name}`}
    >
      <RestrictionForm
        name={sender_name}
        target={{ message_id: id }}
        onDone={onClose}
        onCancel={onClose}
      />
    </div>
  );
}
