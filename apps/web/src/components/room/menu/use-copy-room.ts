import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../../hub.ts";
import { newRoomToken } from "../../../new-room.ts";
import { invalidate, myChats } from "../../../queries.ts";
import { ask } from "../../feedback/confirm.tsx";
import { useRoomContext } from "../room-context.ts";

/** Asks, then copies the room's path into a private room of the reader's own, and opens that. */
export function useCopyRoom() {
  const { roomName } = useRoomContext();
  const navigate = useNavigate();
  const copy = async () => {
    const session = newRoomToken();
    const made = await hub.rooms.copy.mutate({ ...roomName, new_session_token: session });
    void invalidate(myChats.queryKey);
    await navigate({ to: "/chat/$id/$session", params: { id: made.soul_id, session } });
  };
  return () =>
    ask({
      title: "Copy to a room of your own?",
      body: "Its newest 500 messages go into a private room, where only you read and write. The souls that everyone may use come along. This room stays as it is.",
      verb: "Copy",
      tone: "live",
      run: copy,
    });
}
