import { Button } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";

interface FormOpenerProps {
  label: string;
  onOpen?: () => void;
  /** The form. Its argument closes it. */
  children: (close: () => void) => ReactNode;
}

/** A button of a settings section, in whose place a form opens. It gets the focus back. */
export function FormOpener({ label, onOpen, children }: FormOpenerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const open = () => {
    onOpen?.();
    setIsOpen(true);
  };
  const close = () => {
    setIsOpen(false);
    // The button is not rendered before the next frame.
    setTimeout(() => button.current?.focus());
  };
  if (isOpen) return children(close);
  return (
    <Button ref={button} variant="default" onClick={open}>
      {label}
    </Button>
  );
}
