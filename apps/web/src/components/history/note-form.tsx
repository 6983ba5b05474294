import { Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { submitWith } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { invalidateHistory, type SoulVersion } from "../../queries.ts";
import { lengthProblem, limits } from "../../soul-files.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { FormFoot } from "../feedback/form-foot.tsx";

/** Changes the note of a version. An empty note removes it. */
export function NoteForm({ version, onDone }: { version: SoulVersion; onDone: () => void }) {
  const { soul_id, number } = version;
  const [note, setNote] = useState(version.note ?? "");
  const save = useMutation({
    mutationFn: () => hub.versions.set.mutate({ soul_id, number, note }),
    onSuccess: async () => {
      await invalidateHistory(soul_id);
      onDone();
    },
  });
  const problem = lengthProblem(note, limits.note);
  return (
    <form className="stack" onSubmit={submitWith(() => save.mutate())}>
      <Textarea
        ref={focusField}
        label="What changed?"
        rows={3}
        value={note}
        error={problem}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <FailureNote error={save.error} />
      <FormFoot
        size="xs"
        cancel="default"
        loading={save.isPending}
        disabled={problem !== undefined}
        onCancel={onDone}
      >
        Save note
      </FormFoot>
    </form>
  );
}

const focusField = (field: HTMLElement | null) => field?.focus();
