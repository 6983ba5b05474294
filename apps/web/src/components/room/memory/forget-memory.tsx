import { Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useMemory } from "./use-memory.ts";

/** Asks before the summary is reset. */
export function ForgetMemory({ onDone }: { onDone: () => void }) {
  const { current, correct } = useMemory();
  const forget = useMutation({
    mutationFn: () => correct(null, current?.text ?? ""),
    onSuccess: onDone,
  });
  return (
    <>
      <Group
        className="room-memory__ask"
        gap="xs"
        mt="sm"
        role="dialog"
        aria-label="Forget the summary?"
      >
        <p>
          <strong>Forget the summary?</strong> Messages so far are not summarised again. They stay
          in the room.
        </p>
        <SmallButton c="var(--bad-text)" autoFocus call={forget}>
          Forget it
        </SmallButton>
        <SmallButton onClick={onDone}>Cancel</SmallButton>
      </Group>
      <FailureNote error={forget.error} />
    </>
  );
}
