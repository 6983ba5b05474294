import { Button, Group, Modal, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FailureNote } from "./failure-note.tsx";

interface QuestionProps<Answer> {
  /** What happens after the confirmation. */
  children: ReactNode;
  /** The text of the button that confirms. */
  verb: string;
  /** The colour of that button; by default red, for a deletion. */
  color?: "red" | "live";
  run: () => Promise<Answer>;
  onDone: (answer: Answer) => unknown;
  onClose: () => void;
}

interface ConfirmProps<Answer> extends QuestionProps<Answer> {
  isOpened?: boolean;
  title: string;
}

/** Asks in a dialog before a change. A closed dialog forgets a failure. */
export const Confirm = <Answer,>({ isOpened = true, title, ...question }: ConfirmProps<Answer>) => (
  <Modal opened={isOpened} onClose={question.onClose} title={title}>
    <Question {...question} />
  </Modal>
);

function Question<Answer>(props: QuestionProps<Answer>) {
  const { children, verb, color = "red", run, onDone, onClose } = props;
  const change = useMutation({ mutationFn: run, onSuccess: onDone });
  return (
    <>
      <Text mb="md" style={{ overflowWrap: "anywhere" }}>
        {children}
      </Text>
      <FailureNote error={change.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color={color} loading={change.isPending} onClick={() => change.mutate()}>
          {verb}
        </Button>
      </Group>
    </>
  );
}
