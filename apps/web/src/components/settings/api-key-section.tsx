import { Button, Group, Modal, PasswordInput, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { CopyableCode } from "../feedback/copyable-code.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { SettingsSection } from "../ui/settings-section.tsx";

/** The password field of two forms: to show the API key and to replace it. */
const ownPassword = {
  name: "password",
  label: "Your password",
  autoComplete: "current-password",
  required: true,
} as const;

const passwordIn = (form: FormData) => ({ password: String(form.get(ownPassword.name)) });

/** Shows or replaces the member's API key. The page does not store the key. */
export function ApiKeySection() {
  const [apiKey, setApiKey] = useState<string>();
  const [isAsking, { open, close }] = useDisclosure();
  const show = useMutation({
    mutationFn: (form: FormData) => hub.accounts.showApiKey.mutate(passwordIn(form)),
    onSuccess: ({ api_key }) => setApiKey(api_key),
  });
  const { form, problems } = useCheckedForm(show);
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
          <PasswordInput {...ownPassword} error={problems.password} />
          <Button type="submit" variant="default" loading={show.isPending}>
            Show the key
          </Button>
        </form>
      )}
      {show.isError && <FailureNote failure={failureOf(show.error)} />}
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
  const rotate = useMutation({
    mutationFn: (form: FormData) => hub.accounts.rotateApiKey.mutate(passwordIn(form)),
    onSuccess: ({ api_key }) => onDone(api_key),
  });
  const { form, problems } = useCheckedForm(rotate);
  return (
    <form {...form}>
      <Text mb="md">
        The old key stops working at once. Every script that uses it needs the new one.
      </Text>
      <PasswordInput {...ownPassword} error={problems.password} data-autofocus />
      {rotate.isError && <FailureNote failure={failureOf(rotate.error)} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onKeep}>
          Cancel
        </Button>
        <Button type="submit" color="red" loading={rotate.isPending}>
          Replace
        </Button>
      </Group>
    </form>
  );
}
