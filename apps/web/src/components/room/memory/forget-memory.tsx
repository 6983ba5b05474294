import { useMutation } from "@tanstack/react-query";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { Ask } from "../../ui/ask.tsx";
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
      <Ask
        className="room-memory__ask"
        mt="sm"
        title="Forget the summary?"
        text="Messages so far are not summarised again. They stay in the room."
      >
        <SmallButton c="var(--bad-text)" autoFocus call={forget}>
          Forget it
        </SmallButton>
        <SmallButton onClick={onDone}>Cancel</SmallButton>
      </Ask>
      <FailureNote error={forget.error} />
    </>
  );
}
