import "./auth.css";
import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { failureOf } from "../../failures.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { resetQueries } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { NewPasswordField } from "./new-password-field.tsx";

/**
 * The mutation that creates an account and signs in. `isSignedIn` is false if the account was
 * created but signing in failed. The page still shows the API key.
 */
export const useSignUp = () =>
  useMutation({
    mutationFn: async (form: FormData) => {
      const username = textOf(form, "username");
      const email = textOf(form, "email");
      const password = String(form.get("password"));
      const { api_key } = await hub.accounts.register.mutate({ username, password, email });
      // Registration opens no login session, so the form then signs the user in.
      const isSignedIn = await hub.accounts.login
        .mutate({ username, password, remember: true })
        .then(resetQueries)
        .then(() => true)
        .catch(() => false);
      return { username, apiKey: api_key, isSignedIn };
    },
  });

export function SignUpForm({ signUp }: { signUp: ReturnType<typeof useSignUp> }) {
  const failure = signUp.isError ? failureOf(signUp.error) : undefined;
  const taken =
    failure?.code === "username_taken" ? `${failure.title}. ${failure.hint}` : undefined;
  const { form, problems } = useCheckedForm(signUp);
  const fields = { ...failure?.fields, ...problems };
  const isMarked = taken !== undefined || Object.keys(fields).length > 0;
  return (
    <form className="panel stack" {...form}>
      {failure && !isMarked && <FailureNote failure={failure} />}
      <TextInput
        name="username"
        label="Username"
        description="3 to 32 letters, digits, - or _. It can't be changed later."
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        minLength={3}
        maxLength={32}
        error={fields.username ?? taken}
      />
      <TextInput
        name="email"
        type="email"
        label="Email"
        autoComplete="email"
        required
        maxLength={254}
        error={fields.email}
      />
      <NewPasswordField
        name="password"
        label="Password"
        description="At least 8 characters. A few unrelated words make a good one."
        minLength={8}
        error={fields.password}
      />
      <Button type="submit" size="md" loading={signUp.isPending}>
        Create account
      </Button>
    </form>
  );
}
