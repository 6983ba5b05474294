import { Modal, NativeSelect, Textarea } from "@mantine/core";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import type { GivenTarget, ReportReason } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { DialogFoot } from "../feedback/dialog-foot.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { reasonChoices } from "./words.ts";

const MAX_NOTE_CHARS = 1_000;

interface ReportDialogProps {
  target: GivenTarget;
  isOpened?: boolean;
  onClose: () => void;
}

const names = {
  soul: "this soul",
  message: "this message",
  person: "this person",
  room: "this room",
};

const evidence = {
  soul: "it as it is now",
  message: "it and at most five messages around it, none of them off the record",
  person: "the profile as it is now",
  room: "its newest five messages, none of them off the record",
};

export const ReportDialog = ({ isOpened = true, ...report }: ReportDialogProps) => (
  <Modal opened={isOpened} onClose={report.onClose} title={`Report ${names[report.target.kind]}`}>
    <ReportForm {...report} />
  </Modal>
);

/** Reports something to the staff: the reason, and a note. Guests can report, too. */
function ReportForm({ target, onClose }: ReportDialogProps) {
  const { form, fields, error, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.moderation.report.mutate({
        ...target,
        reason: textOf(form, "reason") as ReportReason,
        note: textOf(form, "note"),
      }),
    onSuccess: afterChange([["own-reports"]], onClose),
  });
  return (
    <form className="stack" {...form}>
      <p className="muted">
        The staff of this hub will look at it. They read {evidence[target.kind]}. The author does
        not learn your name.
      </p>
      <NativeSelect
        name="reason"
        label="What is wrong?"
        data={[{ value: "", label: "Choose a reason" }, ...reasonChoices]}
        required
        data-autofocus
        error={fields.reason}
      />
      <Textarea
        name="note"
        label="Note (optional)"
        description="What should the staff know?"
        maxLength={MAX_NOTE_CHARS}
        autosize={false}
        rows={3}
      />
      <FailureNote error={error} />
      <DialogFoot onCancel={onClose} loading={isPending}>
        Send the report
      </DialogFoot>
    </form>
  );
}
