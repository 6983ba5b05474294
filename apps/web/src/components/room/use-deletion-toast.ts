import type { RoomState } from "@soul-hub/client";
import { useEffect } from "react";
import { toast } from "../feedback/toasts.tsx";

/** Says why the messages are gone, after the room's owner has deleted the conversation. */
export function useDeletionToast({ log, messages }: RoomState): void {
  const isDeleted = log > 0 && messages.length === 0;
  useEffect(() => {
    // The page of the deleting owner shows a toast with the same id.
    if (isDeleted) void toast({ id: "deleted", message: "The owner deleted this conversation." });
  }, [isDeleted]);
}
