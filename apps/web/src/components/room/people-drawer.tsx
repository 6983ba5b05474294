import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";

interface PeopleDrawerProps {
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** What stands beside the conversation, where there is no room beside it. */
export function PeopleDrawer({ isOpen, onClose, children }: PeopleDrawerProps) {
  return (
    <Drawer opened={isOpen} onClose={onClose} position="right" title="This room" size="20rem">
      {children}
    </Drawer>
  );
}
