import { TextInput, type TextInputProps } from "@mantine/core";
import { PasswordField } from "./password-field.tsx";

/** The field for a username. */
export const UsernameField = (props: TextInputProps) => (
  <TextInput
    name="username"
    label="Username"
    autoComplete="username"
    autoCapitalize="none"
    spellCheck={false}
    required
    {...props}
  />
);

/** The fields `username` and `password` of an account that exists, with their problems. */
export const UsernamePasswordFields = ({
  problems,
}: {
  problems: Readonly<Record<string, string>>;
}) => (
  <>
    <UsernameField error={problems.username} />
    <PasswordField label="Password" error={problems.password} />
  </>
);
