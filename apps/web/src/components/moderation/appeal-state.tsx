import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { fullDate, isPast } from "../../clock.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { invalidate, type Notice } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { FormFoot } from "../feedback/form-foot.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { notices } from "./own-queries.ts";

const MAX_APPEAL_CHARS = 2_000;

/** The state of the appeal against a decision, and the form of one that is still possible. */
export function AppealState({ notice }: { notice: Notice }) {
  const { decision_id, undone_at, appeal, appeal_until } = notice;
  const [isWriting, setIsWriting] = useState(false);
  if (appeal) {
    return (
      <div className="note note--question">
        <p>
          You appealed on {fullDate(appeal.created_at)}:{" "}
          <q>
            <bdi>{appeal.text}</bdi>
          </q>
        </p>
        <p role="status">
          <strong>{outcomeOf(notice)}</strong>
        </p>
      </div>
    );
  }
  if (undone_at) return <p>The staff took this back on {fullDate(undone_at)}.</p>;
  if (isPast(appeal_until)) {
    return <p className="muted">The time to appeal ended on {fullDate(appeal_until)}.</p>;
  }
  if (isWriting)
    return <AppealForm decisionId={decision_id} onCancel={() => setIsWriting(false)} />;
  return (
    <p className="row">
      <Button size="sm" variant="default" onClick={() => setIsWriting(true)}>
        Appeal
      </Button>
      <span className="muted">Once, until {fullDate(appeal_until)}.</span>
    </p>
  );
}

function outcomeOf({ appeal, undone_at }: Notice): string {
  if (appeal?.outcome === "upheld") return "The staff looked again and kept the decision.";
  return appeal?.outcome === "restored" || undone_at
    ? "The staff agreed with you and took the decision back."
    : "The staff have not decided about it yet.";
}

function AppealForm({ decisionId, onCancel }: { decisionId: number; onCancel: () => void }) {
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.moderation.appeal.mutate({ decision_id: decisionId, text: textOf(form, "text") }),
    onSuccess: () => invalidate(notices.queryKey),
  });
  return (
    <form className="stack" aria-label="Appeal" {...form}>
      <Textarea
        name="text"
        label="Why should the staff decide otherwise?"
        description="You can appeal once. If there is other staff, somebody else decides."
        maxLength={MAX_APPEAL_CHARS}
        rows={4}
        required
        autoFocus
        error={fields.text}
      />
      {failure && !failure.fields.text && <FailureNote failure={failure} />}
      <FormFoot loading={isPending} onCancel={onCancel}>
        Send the appeal
      </FormFoot>
    </form>
  );
}
