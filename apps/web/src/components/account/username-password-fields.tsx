import { TextInput } from "@mantine/core";
import { PasswordField } from "./password-field.tsx";

/** The fields `username` and `password` of an account that exists. */
export function UsernamePasswordFields({
  problems,
}: {
  problems: Readonly<Record<string, string>>;
}) {
  return (
    <>
      <TextInput
        name="username"
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        error={problems.username}
      />
      <PasswordField label="Password" error={problems.password} />
    </>
  );
}
