import { useNavigate } from "@tanstack/react-router";
import type { RoomName } from "../../../queries.ts";
import { isSameRoom } from "../../ui/open-room.ts";
import { useRoomContext } from "../room-context.ts";

/** Leaves the room, and deletes its conversation for everyone unless that is undone. */
export function useDeleteConversation() {
  const { roomName, room, forgetUnsent } = useRoomContext();
  const navigate = useNavigate();
  return async () => {
    const { undoable } = await import("../../feedback/undoable.tsx");
    await navigate({ to: "/my-chats", replace: true });
    undoable({
      call: "rooms.delete",
      input: roomName,
      words: `${room.room?.title ? `“${room.room.title}”` : "The conversation"} is deleted for everyone.`,
      lists: ["my-chats"],
      isGone: (entry: RoomName) => isSameRoom(roomName, entry),
      onDeleted: forgetUnsent,
    });
  };
}
