import { Button, Checkbox, PasswordInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import { resetQueries } from "../../queries.ts";
import { NewPasswordField } from "../account/new-password-field.tsx";
import { PasswordField } from "../account/password-field.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { SettingsSection } from "../ui/settings-section.tsx";

export function PasswordSection() {
  const navigate = useNavigate();
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.changePassword.mutate({
        current_password: String(form.get("current")),
        new_password: String(form.get("new")),
        confirm_password: String(form.get("confirm")),
        revoke_keys: form.has("revoke_keys"),
      }),
    onSuccess: async () => {
      await navigate({ to: "/sign-in", search: { next: "/settings/security" } });
      await resetQueries();
      void toast({ title: "Your password is changed", message: "Sign in with the new one." });
    },
  });
  return (
    <SettingsSection title="Password">
      <p>Changing it signs you out everywhere, including this browser.</p>
      <form className="stack stack--form" {...form}>
        <PasswordField
          name="current"
          label="Current password"
          error={fields.current ?? (failure?.code === "wrong_password" ? failure.title : undefined)}
        />
        <NewPasswordField
          name="new"
          label="New password"
          error={fields.new ?? fields.new_password}
        />
        <PasswordInput
          name="confirm"
          label="New password again"
          autoComplete="new-password"
          required
          error={fields.confirm ?? fields.confirm_password}
        />
        <Checkbox
          name="revoke_keys"
          label="Replace the API key and revoke all keys for programs"
          description="Choose this if somebody else may know a key. Without it, all keys stay valid."
        />
        {failure && failure.code !== "wrong_password" && <FailureNote failure={failure} />}
        <Button type="submit" variant="default" loading={isPending}>
          Change the password
        </Button>
      </form>
    </SettingsSection>
  );
}
