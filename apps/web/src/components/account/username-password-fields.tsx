import { PasswordInput, TextInput } from "@mantine/core";

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
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="current-password"
        required
        error={problems.password}
      />
    </>
  );
}
