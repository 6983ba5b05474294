import { Modal, NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { KeyboardEvent, RefObject } from "react";
import { failureOf } from "../../../failures.ts";
import { textOf } from "../../../form-data.ts";
import { hub } from "../../../hub.ts";
import { invalidate, type ModCase, me, queryClient, type ReportReason } from "../../../queries.ts";
import { DialogFoot } from "../../feedback/dialog-foot.tsx";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { toast } from "../../feedback/toasts.tsx";
import { useFormMutation } from "../../feedback/use-checked-form.ts";
import type { CaseAction } from "../../keys/case-actions.ts";
import { reasonChoices } from "../../moderation/words.ts";

const MAX_MESSAGE_CHARS = 2_000;
const DEFAULT_DAYS = "7";

/** The reason and the message that were written before the case changed. */
export interface Draft {
  reason?: ReportReason;
  message?: string;
}

interface ActDialogProps {
  shown: ModCase;
  chosen: CaseAction;
  draft: RefObject<Draft>;
  onClose: () => void;
  /** Called if other staff have changed the case: nothing was decided. */
  onChanged: () => void;
  onDone: () => void;
}

/** Asks for the reason, the message to the author and the days, and decides. */
export function ActDialog({ shown, chosen, draft, onClose, onChanged, onDone }: ActDialogProps) {
  const { id, revision, reasons, target } = shown;
  const { action, label, does } = chosen;
  const isDismissal = action === "dismiss";
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: (form: FormData) => {
      const reason = (textOf(form, "reason") || "other") as ReportReason;
      const message = textOf(form, "message");
      draft.current = { reason, message };
      return hub.moderation.act.mutate({
        id,
        revision,
        action,
        reason,
        days: Number(textOf(form, "days")) || null,
        message_to_author: isDismissal ? undefined : message,
      });
    },
    onSuccess: async () => {
      // The queue, which comes next, gives its focus to a row. A decided case may not be there.
      await queryClient.refetchQueries({ queryKey: ["cases"] });
      void invalidate(["case"], ["hub-people"], me.queryKey);
      void toast({ message: `Case ${id}: ${label}. Done.` });
      onDone();
    },
    onError: (error) => failureOf(error).code === "case_changed" && onChanged(),
  });
  const sendByKey = ({ key, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLFormElement>) => {
    if (key === "Enter" && (ctrlKey || metaKey)) currentTarget.requestSubmit();
  };
  return (
    <Modal opened onClose={onClose} title={label}>
      <form className="stack" onKeyDown={sendByKey} {...form}>
        <p className="muted">{does}</p>
        {!isDismissal && (
          <>
            <NativeSelect
              name="reason"
              label="Reason"
              data={reasonChoices}
              defaultValue={draft.current.reason ?? reasons[0] ?? "other"}
            />
            <Textarea
              name="message"
              label={target.username === null ? "Message" : `Message to ${target.username}`}
              description="Plain words: what was wrong, and what should change."
              defaultValue={draft.current.message}
              maxLength={MAX_MESSAGE_CHARS}
              rows={5}
              required
              data-autofocus
              error={fields.message ?? fields.message_to_author}
            />
          </>
        )}
        {(action === "silence" || action === "suspend") && (
          <TextInput
            name="days"
            type="number"
            label="Days"
            description={action === "suspend" ? "Empty: until somebody restores it." : undefined}
            defaultValue={DEFAULT_DAYS}
            min={1}
            max={365}
            required={action === "silence"}
            error={fields.days}
          />
        )}
        {failure && failure.code !== "case_changed" && <FailureNote failure={failure} />}
        <DialogFoot
          onCancel={onClose}
          loading={isPending}
          data-autofocus={isDismissal || undefined}
          title="Ctrl Enter"
        >
          {label}
        </DialogFoot>
      </form>
    </Modal>
  );
}
