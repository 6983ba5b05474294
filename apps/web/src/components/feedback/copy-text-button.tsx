import { Button, type ButtonProps, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { CheckIcon, CopyIcon } from "../icons.tsx";

interface CopyTextButtonProps extends ButtonProps {
  text: string;
  label: string;
  /** What the text is, for screen readers, where the label alone does not tell. */
  of?: string | undefined;
  icon?: React.ReactNode;
}

export function CopyTextButton({ text, label, of, icon, ...rest }: CopyTextButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 });
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={copied ? <CheckIcon size={17} /> : (icon ?? <CopyIcon size={17} />)}
      onClick={() => copy(text)}
      {...rest}
    >
      {/* A live region, so that screen readers announce the new label of the focused button. */}
      <span aria-live="polite">{copied ? "Copied" : error ? "Couldn't copy" : label}</span>
      {of && <VisuallyHidden> {of}</VisuallyHidden>}
    </Button>
  );
}
