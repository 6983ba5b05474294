import { Button, PasswordInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type SubmitEvent, useState } from "react";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { forgetEverything } from "../../queries.ts";
import { FailureNote } from "../failure-note.tsx";
import { PasswordStrength } from "../password-strength.tsx";
import { toast } from "../toasts.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function PasswordSection() {
  const navigate = useNavigate();
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.changePassword.mutate({
        current_password: String(form.get("current")),
        new_password: next,
        confirm_password: String(form.get("confirm")),
      }),
    onSuccess: async () => {
      await navigate({ to: "/sign-in", search: { next: "/settings" } });
      await forgetEverything();
      void toast({ title: "Your password is changed", message: "Sign in with the new one." });
    },
  });
  const failure = change.error ? failureOf(change.error) : undefined;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(new FormData(event.currentTarget));
  };
  return (
    <SettingsSection title="Password">
      <p>Changing it signs you out in every browser, this one too. The API key stays.</p>
      <form className="settings__form" onSubmit={submit}>
        <PasswordInput
          name="current"
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          error={failure?.code === "wrong_password" ? failure.title : undefined}
        />
        <div>
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            required
            withAsterisk={false}
            value={next}
            error={failure?.fields.new_password}
            onChange={({ currentTarget }) => setNext(currentTarget.value)}
          />
          <PasswordStrength password={next} />
        </div>
        <PasswordInput
          name="confirm"
          label="New password again"
          autoComplete="new-password"
          required
          withAsterisk={false}
          error={failure?.fields.confirm_password}
        />
        {failure && failure.code !== "wrong_password" && <FailureNote failure={failure} />}
        <Button type="submit" variant="default" loading={change.isPending}>
          Change the password
        </Button>
      </form>
    </SettingsSection>
  );
}
