import { Button, Group, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { exactCount } from "../../../counts.ts";
import { failureOf } from "../../../failures.ts";
import { countCharacters } from "../../../soul-files.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { growing } from "../../growing-textarea.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useMemory } from "./use-memory.ts";

/** The maximum length of a summary, in characters (decisions §5, Memory). */
const MAX_SUMMARY_CHARS = 2_000;

/** Edits the summary. If it changed meanwhile, the owner chooses between both texts. */
export function MemoryEditor({ onDone }: { onDone: () => void }) {
  const { query, current, correct } = useMemory();
  const stored = current?.text ?? "";
  /** The room's summary when the user began to edit it. */
  const [base] = useState(stored);
  const [draft, setDraft] = useState(base);
  const save = useMutation({
    mutationFn: (expected: string) => correct(draft, expected),
    onSuccess: onDone,
  });
  const failure = save.error ? failureOf(save.error) : undefined;
  const isConflict = failure?.code === "summary_changed" && !query.isError;
  const count = countCharacters(draft.trim());
  const isTooLong = count > MAX_SUMMARY_CHARS;
  return (
    <>
      <Textarea
        autoFocus
        {...growing({ minRows: 4, maxRows: 14 })}
        aria-label="What the soul remembers of this room"
        value={draft}
        error={isTooLong && "Shorten the summary."}
        description={`${exactCount(count)} of ${exactCount(MAX_SUMMARY_CHARS)} characters`}
        inputWrapperOrder={["input", "description", "error"]}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
        onKeyDown={({ key }) => {
          // The Escape key closes the editor only while nothing has been changed.
          if (key === "Escape" && draft === base) onDone();
        }}
      />
      {failure && !isConflict && <FailureNote failure={failure} />}
      {isConflict ? (
        <div className="note note--question" role="alert">
          <p>
            <strong>The summary changed while you were editing.</strong> It is now:
          </p>
          <p className="quote long-text scrolled" dir="auto">
            {stored || "Empty."}
          </p>
          <Button
            size="compact-sm"
            loading={save.isPending}
            disabled={isTooLong}
            onClick={() => save.mutate(stored)}
          >
            Replace it with mine
          </Button>
          <SmallButton onClick={onDone}>Discard mine</SmallButton>
        </div>
      ) : (
        <Group gap="xs" mt="sm">
          <Button
            size="compact-sm"
            loading={save.isPending}
            disabled={isTooLong || draft === base}
            onClick={() => save.mutate(base)}
          >
            Save
          </Button>
          <SmallButton onClick={onDone}>Cancel</SmallButton>
        </Group>
      )}
    </>
  );
}
