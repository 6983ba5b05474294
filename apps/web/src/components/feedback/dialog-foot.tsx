import { Button, type ButtonProps, Group } from "@mantine/core";
import type { ReactNode } from "react";

interface DialogFootProps extends ButtonProps {
  /** The tooltip of the button that sends the form. */
  title?: string;
  onCancel: () => void;
  /** A further button, before the others. */
  further?: ReactNode;
}

/** The buttons of a form in a dialog. The props are those of the button that sends it. */
export const DialogFoot = ({ onCancel, further, ...submit }: DialogFootProps) => (
  <Group justify="flex-end">
    {further}
    <Button variant="default" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" {...submit} />
  </Group>
);
