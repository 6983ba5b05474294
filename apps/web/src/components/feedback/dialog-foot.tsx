import { Button, type ButtonProps, Group } from "@mantine/core";

interface DialogFootProps extends ButtonProps {
  /** The tooltip of the button that sends the form. */
  title?: string;
  onCancel: () => void;
}

/** The buttons of a form in a dialog. The props are those of the button that sends it. */
export const DialogFoot = ({ onCancel, ...submit }: DialogFootProps) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" {...submit} />
  </Group>
);
