import "./auth.css";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { failureOf } from "../failures.ts";
import { hub } from "../hub.ts";
import { forgetEverything } from "../queries.ts";
import { FailureNote } from "./failure-note.tsx";
import { PasswordStrength } from "./password-strength.tsx";

export interface NewAccount {
  username: string;
  apiKey: string;
  /** False when the account was made and signing in failed: the key must be shown all the same. */
  isSignedIn: boolean;
}

interface SignUpFormProps {
  onDone: (account: NewAccount) => void;
}

export function SignUpForm({ onDone }: SignUpFormProps) {
  const [password, setPassword] = useState("");
  const signUp = useMutation({
    mutationFn: async (form: FormData) => {
      const username = String(form.get("username")).trim();
      const email = String(form.get("email")).trim();
      const { api_key } = await hub.accounts.register.mutate({ username, password, email });
      // Registering opens no session.
      const isSignedIn = await hub.accounts.login
        .mutate({ username, password, remember: true })
        .then(forgetEverything)
        .then(() => true)
        .catch(() => false);
      return { username, apiKey: api_key, isSignedIn };
    },
    onSuccess: onDone,
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    signUp.mutate(new FormData(event.currentTarget));
  };
  const failure = signUp.isError ? failureOf(signUp.error) : undefined;
  const taken =
    failure?.code === "username_taken" ? `${failure.title}. ${failure.hint}` : undefined;
  const fields = failure?.fields ?? {};
  const isMarked = taken !== undefined || Object.keys(fields).length > 0;
  return (
    <form className="panel auth-form" onSubmit={submit}>
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
        withAsterisk={false}
        error={taken ?? fields.username}
      />
      <TextInput
        name="email"
        type="email"
        label="Email"
        autoComplete="email"
        required
        maxLength={254}
        withAsterisk={false}
        error={fields.email}
      />
      <div>
        <PasswordInput
          name="password"
          label="Password"
          description="At least 8 characters. A few unrelated words make a good one."
          autoComplete="new-password"
          required
          minLength={8}
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={fields.password}
        />
        <PasswordStrength password={password} />
      </div>
      <Button type="submit" size="md" loading={signUp.isPending}>
        Create account
      </Button>
    </form>
  );
}
