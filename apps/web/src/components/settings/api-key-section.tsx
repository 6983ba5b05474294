import { Button, Group, Modal, PasswordInput, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { CopyTextButton } from "../copy-text-button.tsx";
import { FailureNote } from "../failure-note.tsx";
import { SettingsSection } from "./settings-section.tsx";

/** Who wants to see the key, or a new one, is asked for it once more. */
const ownPassword = {
  name: "password",
  label: "Your password",
  autoComplete: "current-password",
  required: true,
  withAsterisk: false,
} as const;

const withPassword = (use: (password: string) => void) => (event: SubmitEvent<HTMLFormElement>) => {
  event.preventDefault();
  use(String(new FormData(event.currentTarget).get(ownPassword.name)));
};

/** Shown on demand and forgotten with the page; a new one kills the old one. */
export function ApiKeySection() {
  const [apiKey, setApiKey] = useState<string>();
  const [isAsking, { open, close }] = useDisclosure();
  const show = useMutation({
    mutationFn: (password: string) => hub.accounts.showApiKey.mutate({ password }),
    onSuccess: ({ api_key }) => setApiKey(api_key),
  });
  return (
    <SettingsSection title="API key">
      <p>
        Scripts and bots act as you with it. How, is told in the <a href="/docs">API reference</a>.
        Keep it like a password.
      </p>
      {apiKey ? (
        <div className="api-key">
          <code>{apiKey}</code>
          <CopyTextButton text={apiKey} label="Copy" />
        </div>
      ) : (
        <form className="settings__line" onSubmit={withPassword(show.mutate)}>
          <PasswordInput {...ownPassword} />
          <Button type="submit" variant="default" loading={show.isPending}>
            Show the key
          </Button>
        </form>
      )}
      {show.isError && <FailureNote failure={failureOf(show.error)} />}
      <Button className="settings__way" variant="default" onClick={open}>
        Replace it with a new one
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
    mutationFn: (password: string) => hub.accounts.rotateApiKey.mutate({ password }),
    onSuccess: ({ api_key }) => onDone(api_key),
  });
  return (
    <form onSubmit={withPassword(rotate.mutate)}>
      <Text mb="md">
        The old key stops working at once, everywhere. Whatever uses it needs the new one.
      </Text>
      <PasswordInput {...ownPassword} data-autofocus />
      {rotate.isError && <FailureNote failure={failureOf(rotate.error)} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onKeep}>
          Keep it
        </Button>
        <Button type="submit" color="red" loading={rotate.isPending}>
          Replace it
        </Button>
      </Group>
    </form>
  );
}
