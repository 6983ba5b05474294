import { NativeSelect, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { type GivenTarget, invalidate, type ReportReason } from "../../queries.ts";
import { DialogFoot } from "../feedback/dialog-foot.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { reasonChoices } from "./words.ts";

const MAX_NOTE_CHARS = 1_000;

interface ReportFormProps {
  target: GivenTarget;
  onDone: () => void;
}

/** Reports something to the staff: the reason, and a note. Guests can report, too. */
export function ReportForm({ target, onDone }: ReportFormProps) {
  const send = useMutation({
    mutationFn: (form: FormData) =>
      hub.moderation.report.mutate({
        ...target,
        reason: textOf(form, "reason") as ReportReason,
        note: textOf(form, "note"),
      }),
    onSuccess: ({ message }) => {
      void invalidate(["own-reports"]);
      void toast({ message });
      onDone();
    },
  });
  const { form, problems } = useCheckedForm(send);
  return (
    <form className="stack" {...form}>
      <p className="muted">
        The staff of this hub will look at it. They read{" "}
        {target.kind === "message" || target.kind === "room"
          ? "the reported words and at most five messages around them"
          : "it as it is now"}
        . The author does not learn your name.
      </p>
      <NativeSelect
        name="reason"
        label="What is wrong?"
        data={[{ value: "", label: "Choose a reason" }, ...reasonChoices]}
        required
        data-autofocus
        error={problems.reason}
      />
      <Textarea
        name="note"
        label="Note (optional)"
        description="What should the staff know?"
        maxLength={MAX_NOTE_CHARS}
        autosize={false}
        rows={3}
      />
      <FailureNote error={send.error} />
      <DialogFoot onCancel={onDone} loading={send.isPending}>
        Send the report
      </DialogFoot>
    </form>
  );
}
