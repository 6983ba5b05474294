import { NativeSelect } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { hub } from "../../../hub.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { useRoomContext } from "../room-context.ts";

const choices = [
  { value: "anyone", label: "Everyone who can enter" },
  { value: "members", label: "People with an account" },
  { value: "owner", label: "Only me" },
] as const;

/** Sets who may write in the room. Everyone else still reads. */
export function TalkChoice() {
  const { roomName, room, isPrivate } = useRoomContext();
  const set = useMutation({
    mutationFn: (talk: (typeof choices)[number]["value"]) =>
      hub.rooms.set.mutate({ ...roomName, talk }),
  });
  // Guests can't enter a private room.
  const offered = isPrivate ? choices.filter(({ value }) => value !== "members") : choices;
  const shown = set.isPending ? set.variables : room.room?.talk;
  return (
    <section className="stack stack--close">
      <h3>Who may write</h3>
      <NativeSelect
        aria-label="Who may write"
        value={isPrivate && shown === "members" ? "anyone" : shown}
        data={offered}
        onChange={({ currentTarget }) => {
          const chosen = choices.find(({ value }) => value === currentTarget.value);
          if (chosen) set.mutate(chosen.value);
        }}
      />
      {!isPrivate && (
        <p className="muted">
          A muted or banned guest can come back as a new guest. “People with an account” stops that:
          guests then only read.
        </p>
      )}
      <FailureNote error={set.error} />
    </section>
  );
}
