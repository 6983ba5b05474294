import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { submitWith } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { lengthProblem } from "../../soul-files.ts";
import { DialogFoot } from "../feedback/dialog-foot.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useRoomContext } from "./room-context.ts";

/** The maximum length of a room's title, in characters (decisions §5, Rooms). */
const MAX_TITLE_CHARS = 80;

/** Changes the title of the room. An empty title restores the default. */
export function RenameRoom({ onDone }: { onDone: () => void }) {
  const { roomName, room } = useRoomContext();
  const [former] = useState(room.room?.title ?? "");
  const [title, setTitle] = useState(former);
  const rename = useMutation({
    mutationFn: () => hub.rooms.set.mutate({ ...roomName, title: title.trim() || null }),
    onSuccess: onDone,
  });
  const problem = lengthProblem(title, MAX_TITLE_CHARS);
  return (
    <form className="stack" onSubmit={submitWith(() => rename.mutate())}>
      <TextInput
        data-autofocus
        label="Title"
        description="Everyone in the room sees it. Empty: the beginning of the first message."
        value={title}
        error={problem}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
      />
      <FailureNote error={rename.error} />
      <DialogFoot
        onCancel={onDone}
        loading={rename.isPending}
        disabled={problem !== undefined || title === former}
      >
        Save
      </DialogFoot>
    </form>
  );
}
