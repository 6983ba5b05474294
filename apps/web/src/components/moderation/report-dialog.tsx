import { Modal } from "@mantine/core";
import type { GivenTarget } from "../../queries.ts";
import { ReportForm } from "./report-form.tsx";

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

export function ReportDialog({ target, isOpened = true, onClose }: ReportDialogProps) {
  return (
    <Modal opened={isOpened} onClose={onClose} title={`Report ${names[target.kind]}`}>
      <ReportForm target={target} onDone={onClose} />
    </Modal>
  );
}
