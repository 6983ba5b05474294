import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** The field for the password of the member's account. */
export const PasswordField = (props: PasswordInputProps) => (
  <PasswordInput
    name="password"
    label="Your password"
    autoComplete="current-password"
    required
    {...props}
  />
);
