import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";

/** A router link that is styled as a button. */
export const LinkButton = createLink((props: ButtonProps) => <Button component="a" {...props} />);
