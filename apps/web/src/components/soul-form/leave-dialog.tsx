import { Button, Group, Modal, Text } from "@mantine/core";

interface LeaveDialogProps {
  isOpened: boolean;
  onLeave: () => void;
  onStay: () => void;
}

export function LeaveDialog({ isOpened, onLeave, onStay }: LeaveDialogProps) {
  return (
    <Modal opened={isOpened} onClose={onStay} title="Leave without saving?">
      <Text mb="md">
        Your draft stays in this tab. It is here when you return, unless you close the tab.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onLeave}>
          Leave
        </Button>
        <Button onClick={onStay} data-autofocus>
          Stay
        </Button>
      </Group>
    </Modal>
  );
}
