import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentProps } from "react";

interface SmallButtonProps
  extends ButtonProps,
    Omit<ComponentProps<"button">, keyof ButtonProps | "type"> {
  /** The mutation that a click runs. The button shows that it runs. */
  call?: { mutate: () => void; isPending: boolean };
}

/** A small button with a border. Its other props are those of Mantine's button. */
export const SmallButton = ({ call, ...props }: SmallButtonProps) => (
  <Button
    size="compact-sm"
    variant="default"
    {...(call && { loading: call.isPending, onClick: () => call.mutate() })}
    {...props}
  />
);
