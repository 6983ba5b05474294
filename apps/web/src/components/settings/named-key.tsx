import { Button, Group, Modal, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { fromNow, fullDate, isPast } from "../../clock.ts";
import { failureOf } from "../../failures.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { type ApiKey, apiKeys, invalidate } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { FormFoot } from "./form-foot.tsx";
import { scopeLabels } from "./key-scopes.ts";
import { NameField } from "./name-field.tsx";

const expiryOf = (expiresAt: string | null) => {
  if (expiresAt === null) return "never expires";
  return `${isPast(expiresAt) ? "expired" : "expires"} ${fullDate(expiresAt)}`;
};

/** A named key in the list, with the buttons that rename and revoke it. */
export function NamedKey({ stored }: { stored: ApiKey }) {
  const { id, name, prefix, scopes, created_at, last_used_at, expires_at } = stored;
  const [isRenaming, setIsRenaming] = useState(false);
  const [isAsking, { open, close }] = useDisclosure();
  const renameButton = useRef<HTMLButtonElement>(null);
  const endRenaming = () => {
    setIsRenaming(false);
    // The button is not rendered before the next frame.
    setTimeout(() => renameButton.current?.focus());
  };
  const used = last_used_at ? `last used ${fromNow(last_used_at)}` : "never used";
  if (isRenaming) return <Renaming id={id} name={name} onDone={endRenaming} />;
  return (
    <>
      <strong>
        <bdi>{name}</bdi> <span className="code">{prefix}…</span>
      </strong>
      <span className="muted">{scopes.map((scope) => scopeLabels[scope].label).join(", ")}</span>
      <span className="muted">
        Created {fullDate(created_at)}, {used}, {expiryOf(expires_at)}
      </span>
      <span className="row">
        <Button
          ref={renameButton}
          size="compact-sm"
          variant="default"
          aria-label={`Rename the key ${name}`}
          onClick={() => setIsRenaming(true)}
        >
          Rename
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`Revoke the key ${name}`}
          onClick={open}
        >
          Revoke
        </Button>
      </span>
      <Modal opened={isAsking} onClose={close} title="Revoke this key?">
        <Revocation stored={stored} onKeep={close} />
      </Modal>
    </>
  );
}

function Renaming({ id, name, onDone }: { id: number; name: string; onDone: () => void }) {
  const rename = useMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.renameKey.mutate({ id, name: textOf(form, "name") }),
    onSuccess: async () => {
      await invalidate(apiKeys.queryKey);
      onDone();
    },
  });
  const failure = rename.error ? failureOf(rename.error) : undefined;
  const { form, problems } = useCheckedForm(rename);
  return (
    <form
      className="stack stack--form"
      aria-label={`Rename the key ${name}`}
      onKeyDown={({ key }) => {
        if (key === "Escape") onDone();
      }}
      {...form}
    >
      <NameField defaultValue={name} error={problems.name ?? failure?.fields.name} />
      {failure && !failure.fields.name && <FailureNote failure={failure} />}
      <FormFoot size="compact-sm" variant="default" loading={rename.isPending} onCancel={onDone}>
        Save
      </FormFoot>
    </form>
  );
}

function Revocation({ stored: { id, name }, onKeep }: { stored: ApiKey; onKeep: () => void }) {
  const revoke = useMutation({
    mutationFn: () => hub.accounts.revokeKey.mutate({ id }),
    onSuccess: async ({ message }) => {
      await invalidate(apiKeys.queryKey);
      void toast({ message });
    },
  });
  return (
    <>
      <Text mb="md">
        <bdi>{name}</bdi> stops working at once, everywhere. This cannot be undone.
      </Text>
      {revoke.isError && <FailureNote failure={failureOf(revoke.error)} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onKeep} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke
        </Button>
      </Group>
    </>
  );
}
