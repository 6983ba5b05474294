import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../../hub.ts";
import { newRoomToken } from "../../../new-room.ts";
import { invalidate, myChats } from "../../../queries.ts";
import { toast, toastFailure } from "../../feedback/toasts.tsx";
import { useRoomContext } from "../room-context.ts";

/** Copies the room's path into a private room of the reader's own, and opens that. */
export function useCopyRoom() {
  const { roomName } = useRoomContext();
  const navigate = useNavigate();
  return async () => {
    try {
      const session = newRoomToken();
      const { soul_id, copied } = await hub.rooms.copy.mutate({
        ...roomName,
        new_session_token: session,
      });
      void invalidate(myChats.queryKey);
      await navigate({ to: "/chat/$id/$session", params: { id: soul_id, session } });
      void toast({
        title: "This is your copy",
        message: `It has ${copied === 1 ? "1 message" : `${copied} messages`} and is private. The original stays as it is.`,
      });
    } catch (error) {
      toastFailure(error);
    }
  };
}
