import { Button } from "@mantine/core";
import { useState } from "react";
import { hub } from "../../hub.ts";
import { PasswordField } from "../account/password-field.tsx";
import { ask } from "../feedback/confirm.tsx";
import { CopyField } from "../feedback/copy-field.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { SettingsSection } from "../ui/settings-section.tsx";

const passwordIn = (form: FormData) => ({ password: String(form.get("password")) });

/** Shows or replaces the member's API key. The page does not store the key. */
export function ApiKeySection() {
  const [apiKey, setApiKey] = useState<string>();
  const { form, fields, error, isPending } = useFormMutation({
    mutationFn: (form: FormData) => hub.accounts.showApiKey.mutate(passwordIn(form)),
    onSuccess: ({ api_key }) => setApiKey(api_key),
  });
  return (
    <SettingsSection title="API key">
      <p>
        Scripts and bots use it to act as you (see the <a href="/docs">API reference</a>), so keep
        it secret like a password.
      </p>
      {apiKey ? (
        <CopyField text={apiKey} />
      ) : (
        <form className="row row--fields" {...form}>
          <PasswordField error={fields.password} />
          <Button type="submit" variant="default" loading={isPending}>
            Show the key
          </Button>
        </form>
      )}
      <FailureNote error={error} />
      <Button
        variant="default"
        onClick={() =>
          ask({
            title: "Replace the API key?",
            body: "The old key stops working at once. Every script that uses it needs the new one.",
            verb: "Replace",
            fields: ({ password }) => <PasswordField error={password} data-autofocus />,
            run: async (form) => {
              const { api_key } = await hub.accounts.rotateApiKey.mutate(passwordIn(form));
              setApiKey(api_key);
            },
          })
        }
      >
        Replace the key
      </Button>
    </SettingsSection>
  );
}
