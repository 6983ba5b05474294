import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { toast } from "../../feedback/toasts.tsx";
import { useRoomContext } from "../room-context.ts";
import { lineId } from "./line-id.ts";

/** Shows the message that the address names with `?at=`, and loads the messages up to it first. */
export function JumpToMessage({ at }: { at: number }) {
  const { isLive, path, older, look, scroll } = useRoomContext();
  const navigate = useNavigate();
  const isLoaded = path.tree.messages.has(at);
  const isMissing = !isLoaded && (!older.hasMore || older.failure);

  const followed = useRef<number>(undefined);
  useEffect(() => {
    if (at === followed.current || !isLive) return;
    // A reload shows the end of the conversation.
    const finish = () => {
      followed.current = at;
      void navigate({ to: ".", search: {}, replace: true, resetScroll: false });
    };
    if (isMissing) {
      finish();
      const message = "It may have been removed, or the earlier messages could not be loaded.";
      void toast({ title: "The message is not here", message });
    } else if (!isLoaded) {
      void older.load(at);
    } else if (path.shown.some(({ id }) => id === at)) {
      scroll.stay();
      showLine(at);
      finish();
    } else {
      look(at);
    }
  });

  if (!isLive || isLoaded) return null;
  return (
    <p className="small room__jump" role="status">
      Looking for the message…
    </p>
  );
}

/** Scrolls to a message, and gives it the focus, which also marks it. */
function showLine(id: number): void {
  const line = document.getElementById(lineId(id));
  if (!line) return;
  const center = () => line.scrollIntoView({ block: "center", behavior: "instant" });
  center();
  // The lines around it get their real heights in the next frame.
  requestAnimationFrame(() => requestAnimationFrame(center));
  line.tabIndex = -1;
  line.focus({ preventScroll: true });
  line.addEventListener("blur", () => line.removeAttribute("tabindex"), { once: true });
}
