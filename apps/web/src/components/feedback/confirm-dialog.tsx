import { Button, Group, Modal, Text } from "@mantine/core";
import type { ReactNode, RefObject } from "react";
import { FailureNote } from "./failure-note.tsx";
import { useFormMutation } from "./use-checked-form.ts";

/** A question before a change, with the change itself. */
export interface Question {
  title: string;
  /** What happens after the confirmation. */
  body?: ReactNode;
  /** The text of the button that confirms. */
  verb: string;
  /** The colour of that button; by default red, for a deletion. */
  tone?: "red" | "live";
  /** Fields of the form, given the problem of each by its name. */
  fields?: (problems: Readonly<Record<string, string>>) => ReactNode;
  /** The change. The dialog closes after it, or shows why it failed. */
  run: (form: FormData) => Promise<unknown>;
  /** Gets the focus after a change that removes the element which had it before. */
  next?: RefObject<HTMLElement | null>;
}

interface ConfirmDialogProps {
  question: Question;
  onClose: (isDone: boolean) => void;
}

/** Asks one question. */
export function ConfirmDialog({ question, onClose }: ConfirmDialogProps) {
  const { title, body, verb, tone = "red", fields, run } = question;
  const cancel = () => onClose(false);
  const change = useFormMutation({ mutationFn: run, onSuccess: () => onClose(true) });
  const { form, failure, isPending } = change;
  // The field itself shows that its password is wrong.
  const wrong = failure?.code === "wrong_password" && { password: failure.title };
  return (
    <Modal opened onClose={cancel} title={title} returnFocus={false} closeOnEscape={false}>
      <form className="stack" {...form}>
        {body && <Text style={{ overflowWrap: "anywhere" }}>{body}</Text>}
        {fields?.({ ...wrong, ...change.fields })}
        {!wrong && <FailureNote failure={failure} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel} data-autofocus={!fields || undefined}>
            Cancel
          </Button>
          <Button type="submit" color={tone} loading={isPending}>
            {verb}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
