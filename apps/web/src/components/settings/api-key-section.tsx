import { Button, Modal, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { hub } from "../../hub.ts";
import { PasswordField } from "../account/password-field.tsx";
import { CopyableCode } from "../feedback/copyable-code.tsx";
import { DialogFoot } from "../feedback/dialog-foot.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { SettingsSection } from "../ui/settings-section.tsx";

const passwordIn = (form: FormData) => ({ password: String(form.get("password")) });

/** Shows or replaces the member's API key. The page does not store the key. */
export function ApiKeySection() {
  const [apiKey, setApiKey] = useState<string>();
  const [isAsking, { open, close }] = useDisclosure();
  const { form, fields, error, isPending } = useFormMutation({
    mutationFn: (form: FormData) => hub.accounts.showApiKey.mutate(passwordIn(form)),
    onSuccess: ({ api_key }) => setApiKey(api_key),
  });
  return (
    <SettingsSection title="API key">
      <p>
        Scripts and bots use it to act as you. See the <a href="/docs">API reference</a>. Keep it
        secret, like a password.
      </p>
      {apiKey ? (
        <CopyableCode text={apiKey} />
      ) : (
        <form className="row row--fields" {...form}>
          <PasswordField error={fields.password} />
          <Button type="submit" variant="default" loading={isPending}>
            Show the key
          </Button>
        </form>
      )}
      <FailureNote error={error} />
      <Button variant="default" onClick={open}>
        Replace the key
      </Button>
      <Modal opened={isAsking} onClose={close} title="Replace the API key?">
        <Rotation
          onDone={(key) => {
            setApiKey(key);
            close();
          }}
          onKeep={close}
        />
      </Modal>
    </SettingsSection>
  );
}

function Rotation({ onDone, onKeep }: { onDone: (key: string) => void; onKeep: () => void }) {
  const { form, fields, error, isPending } = useFormMutation({
    mutationFn: (form: FormData) => hub.accounts.rotateApiKey.mutate(passwordIn(form)),
    onSuccess: ({ api_key }) => onDone(api_key),
  });
  return (
    <form className="stack" {...form}>
      <Text>The old key stops working at once. Every script that uses it needs the new one.</Text>
      <PasswordField error={fields.password} data-autofocus />
      <FailureNote error={error} />
      <DialogFoot onCancel={onKeep} color="red" loading={isPending}>
        Replace
      </DialogFoot>
    </form>
  );
}
