import "./auth.css";
import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { resetQueries } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { NewPasswordField } from "./new-password-field.tsx";
import { UsernameField } from "./username-password-fields.tsx";

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
      const invite = textOf(form, "invite") || undefined;
      const account = { username, password, email, invite };
      const { api_key } = await hub.accounts.register.mutate(account);
      // Registration opens no login session, so the form then signs the user in.
      const isSignedIn = await hub.accounts.login
        .mutate({ username, password, remember: true })
        .then(resetQueries)
        .then(() => true)
        .catch(() => false);
      return { username, email, apiKey: api_key, isSignedIn };
    },
  });

interface SignUpFormProps {
  signUp: ReturnType<typeof useSignUp>;
  /** Whether the hub asks for an invite (0058). */
  needsInvite: boolean;
}

/** Matches the fragment of the link to an invite. */
const INVITE = /^invite=(.+)$/;

export function SignUpForm({ signUp, needsInvite }: SignUpFormProps) {
  const given = useLocation({ select: ({ hash }) => INVITE.exec(hash)?.[1] ?? "" });
  const { form, fields, failure } = useCheckedForm(signUp);
  const refused = (code: string) =>
    failure?.code === code ? `${failure.title}. ${failure.hint}` : undefined;
  const taken = refused("username_taken");
  const noInvite = needsInvite ? refused("invite_invalid") : undefined;
  const isMarked = (taken ?? noInvite) !== undefined || Object.keys(fields).length > 0;
  return (
    <form className="panel stack" {...form}>
      {failure && !isMarked && <FailureNote failure={failure} />}
      {needsInvite && (
        <TextInput
          // The fragment may change while the page is open.
          key={given}
          name="invite"
          label="Invite code"
          defaultValue={given}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={200}
          error={fields.invite ?? noInvite}
        />
      )}
      <UsernameField
        description="3 to 32 letters, digits, - or _. It can't be changed later."
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
