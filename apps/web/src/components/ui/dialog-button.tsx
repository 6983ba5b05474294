import { Button, type ButtonProps } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";

interface DialogButtonProps extends ButtonProps {
  dialog: (state: { isOpened: boolean; onClose: () => void }) => ReactNode;
}

/** A button that opens a lazy dialog. The dialog loads on first use, and returns the focus. */
export function DialogButton({ dialog, ...shown }: DialogButtonProps) {
  const [isOpened, setIsOpened] = useState<boolean>();
  const button = useRef<HTMLButtonElement>(null);
  const onClose = () => {
    setIsOpened(false);
    button.current?.focus();
  };
  return (
    <>
      <Button ref={button} aria-haspopup="dialog" onClick={() => setIsOpened(true)} {...shown} />
      {isOpened !== undefined && dialog({ isOpened, onClose })}
    </>
  );
}
