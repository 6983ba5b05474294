import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";

// The dialog about unsaved changes loads on demand. Its code is large, and most drafts are
// published without it.
const LeaveDialog = lazyPart(() => import("./leave-dialog.tsx"), "LeaveDialog");

/** Asks before a navigation leaves unsaved changes. For a closing tab, the browser itself asks. */
export function LeaveGuard({ isChanged }: { isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  const isBlocked = status === "blocked";
  // After its first use, the dialog stays mounted, so that it can fade out and release the focus.
  const [isMounted, setIsMounted] = useState(false);
  if (isBlocked && !isMounted) setIsMounted(true);
  if (!isMounted) return null;
  return <LeaveDialog isOpened={isBlocked} onLeave={() => proceed?.()} onStay={() => reset?.()} />;
}
