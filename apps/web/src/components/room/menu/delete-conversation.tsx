import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../../hub.ts";
import { invalidate, myChats } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { toast } from "../../feedback/toasts.tsx";
import { useRoomContext } from "../room-context.ts";

/** Asks before the conversation is deleted for everyone, and names the deleted parts. */
export function DeleteConversation({ onDone }: { onDone: () => void }) {
  const { roomName, room, forgetUnsent } = useRoomContext();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => hub.rooms.delete.mutate(roomName),
    onSuccess: async () => {
      forgetUnsent();
      await navigate({ to: "/my-chats", replace: true });
      void invalidate(myChats.queryKey);
      void toast({ id: "deleted", message: "The conversation is deleted." });
    },
  });
  return (
    <div className="stack room-dialog">
      <p>
        This deletes <bdi>{room.room?.title ? `“${room.room.title}”` : "the conversation"}</bdi> for
        everyone: all its messages and branches, the memory of it, its read-only links, its invites
        and the list of its people. Copies and exports of other people stay. This can't be undone.
      </p>
      <FailureNote error={remove.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete for everyone
        </Button>
      </Group>
    </div>
  );
}
