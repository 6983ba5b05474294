import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { failureOf } from "../../../failures.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
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
      <div className="note note--question" role="dialog" aria-label="Forget the summary?">
        <p>
          <strong>Forget the summary?</strong> Messages so far are not summarised again. They stay
          in the room.
        </p>
        <Button
          size="compact-sm"
          variant="default"
          c="var(--bad-text)"
          autoFocus
          loading={forget.isPending}
          onClick={() => forget.mutate()}
        >
          Forget it
        </Button>
        <Button size="compact-sm" variant="default" onClick={onDone}>
          Cancel
        </Button>
      </div>
      {forget.isError && <FailureNote failure={failureOf(forget.error)} />}
    </>
  );
}
