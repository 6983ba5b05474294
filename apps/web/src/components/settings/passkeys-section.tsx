import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { fromNow, fullDate } from "../../clock.ts";
import { failureOf } from "../../failures.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { invalidate, me } from "../../queries.ts";
import { hasPasskeys, makePasskey } from "../account/passkey.ts";
import { ProofField, readProof } from "../account/proof-field.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { SettingsSection } from "../ui/settings-section.tsx";
import { FormFoot } from "./form-foot.tsx";
import { NameField } from "./name-field.tsx";

/** The member's passkeys, newest first. */
const passkeyList = queryOptions({
  queryKey: ["passkeys"],
  queryFn: ({ signal }) => hub.accounts.passkeys.query(undefined, { signal }),
  select: ({ data }) => data,
});

type Passkey = Awaited<ReturnType<typeof hub.accounts.passkeys.query>>["data"][number];

/** The member's passkeys (0060). */
export function PasskeysSection() {
  const { data: passkeys, error } = useQuery(passkeyList);
  return (
    <SettingsSection title="Passkeys">
      <p>
        Sign in with your fingerprint, face or screen lock in place of your password. The password
        stays, so a lost device locks you out of nothing.
      </p>
      {error && <FailureNote failure={failureOf(error)} />}
      <ul className="divided">
        {passkeys?.map((passkey) => (
          <li key={passkey.id}>
            <StoredPasskey stored={passkey} />
          </li>
        ))}
      </ul>
      {hasPasskeys() && <NewPasskey />}
    </SettingsSection>
  );
}

function StoredPasskey({ stored }: { stored: Passkey }) {
  const { name, created_at, last_used_at, usable } = stored;
  const [isAsking, { open, close }] = useDisclosure();
  return (
    <>
      <strong>
        <bdi>{name}</bdi>
      </strong>
      <span className="muted">
        Added {fullDate(created_at)},{" "}
        {last_used_at ? `last used ${fromNow(last_used_at)}` : "never used"}
        {!usable && ". It was made for another address of this hub, and does not work here"}
      </span>
      <span className="row">
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`Remove the passkey ${name}`}
          onClick={open}
        >
          Remove
        </Button>
      </span>
      <Modal opened={isAsking} onClose={close} title="Remove this passkey?">
        <Removal stored={stored} onKeep={close} />
      </Modal>
    </>
  );
}

const refresh = () => invalidate(passkeyList.queryKey, me.queryKey);

function Removal({ stored: { id }, onKeep }: { stored: Passkey; onKeep: () => void }) {
  const remove = useMutation({
    mutationFn: async (form: FormData) =>
      hub.accounts.removePasskey.mutate({ id, ...(await readProof(form)) }),
    onSuccess: async ({ message }) => {
      await refresh();
      void toast({ message });
    },
  });
  const failure = remove.error ? failureOf(remove.error) : undefined;
  const { form, problems } = useCheckedForm(remove);
  return (
    <form className="stack stack--form" {...form}>
      <ProofField problem={problems.password} failure={failure} />
      <div className="row">
        <Button type="submit" color="red" loading={remove.isPending}>
          Remove
        </Button>
        <Button variant="default" onClick={onKeep}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function NewPasskey() {
  const [isAdding, { open, close }] = useDisclosure();
  return isAdding ? (
    <NewPasskeyForm onDone={close} />
  ) : (
    <Button variant="default" onClick={open}>
      Add a passkey
    </Button>
  );
}

function NewPasskeyForm({ onDone }: { onDone: () => void }) {
  const add = useMutation({
    mutationFn: async (form: FormData) => {
      const proof = await readProof(form);
      const response = await makePasskey("password" in proof ? proof.password : undefined);
      return hub.accounts.addPasskey.mutate({ name: textOf(form, "name"), response, ...proof });
    },
    onSuccess: async ({ message }) => {
      await refresh();
      void toast({ message });
      onDone();
    },
  });
  const failure = add.error ? failureOf(add.error) : undefined;
  const { form, problems } = useCheckedForm(add);
  return (
    <form className="stack stack--form" aria-label="New passkey" {...form}>
      <NameField
        description="Where the passkey is, such as a phone."
        error={problems.name ?? failure?.fields.name}
      />
      <ProofField problem={problems.password} failure={failure} />
      <FormFoot loading={add.isPending} onCancel={onDone}>
        Add the passkey
      </FormFoot>
    </form>
  );
}
