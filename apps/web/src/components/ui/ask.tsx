import { Group, type GroupProps } from "@mantine/core";
import type { ReactNode } from "react";

interface AskProps extends Omit<GroupProps, "title"> {
  /** The question, which is also the name of the group. */
  title: string;
  /** What follows from the answer. */
  text: ReactNode;
  /** The buttons. The confirming one has the focus. */
  children: ReactNode;
}

/** Asks in place, without a dialog over the page. */
export const Ask = ({ title, text, children, ...group }: AskProps) => (
  <Group gap="xs" role="dialog" aria-label={title} {...group}>
    <p>
      <strong>{title}</strong> {text}
    </p>
    {children}
  </Group>
);
