import { useQuery } from "@tanstack/react-query";
import { fromNow, fullDate } from "../../clock.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { dataQuery, me } from "../../queries.ts";
import { hasPasskeys, makePasskey } from "../account/passkey.ts";
import { ProofField, readProof } from "../account/proof-field.tsx";
import { afterChange } from "../feedback/after-change.ts";
import { ask, pageContent } from "../feedback/confirm.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { FormFoot } from "../feedback/form-foot.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { SettingsSection } from "../ui/settings-section.tsx";
import { SmallButton } from "../ui/small-button.tsx";
import { FormOpener } from "./form-opener.tsx";
import { NameField } from "./name-field.tsx";
import { StoredRow } from "./stored-row.tsx";

/** The member's passkeys, newest first. */
const passkeyList = dataQuery(["passkeys"], (options) =>
  hub.accounts.passkeys.query(undefined, options),
);

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
      <FailureNote error={error} />
      <ul className="divided">
        {passkeys?.map((passkey) => (
          <StoredPasskey key={passkey.id} stored={passkey} />
        ))}
      </ul>
      {hasPasskeys() && (
        <FormOpener label="Add a passkey">
          {(close) => <NewPasskeyForm onDone={close} />}
        </FormOpener>
      )}
    </SettingsSection>
  );
}

function StoredPasskey({ stored }: { stored: Passkey }) {
  const { id, name, created_at, last_used_at, usable } = stored;
  const used = last_used_at ? `last used ${fromNow(last_used_at)}` : "never used";
  const where = usable
    ? ""
    : ". It was made for another address of this hub, and does not work here";
  return (
    <StoredRow name={<bdi>{name}</bdi>} facts={[`Added ${fullDate(created_at)}, ${used}${where}`]}>
      <SmallButton
        variant="subtle"
        color="red"
        aria-label={`Remove the passkey ${name}`}
        onClick={() =>
          ask({
            title: "Remove this passkey?",
            verb: "Remove",
            next: pageContent,
            fields: ({ password }) => <ProofField problem={password} />,
            run: async (form) =>
              hub.accounts.removePasskey
                .mutate({ id, ...(await readProof(form)) })
                .then(afterChange(changed)),
          })
        }
      >
        Remove
      </SmallButton>
    </StoredRow>
  );
}

/** The data that a change of the passkeys concerns. */
const changed = [passkeyList.queryKey, me.queryKey];

function NewPasskeyForm({ onDone }: { onDone: () => void }) {
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: async (form: FormData) => {
      const proof = await readProof(form);
      const response = await makePasskey("password" in proof ? proof.password : undefined);
      return hub.accounts.addPasskey.mutate({ name: textOf(form, "name"), response, ...proof });
    },
    onSuccess: afterChange(changed, onDone),
  });
  return (
    <form className="stack stack--form" aria-label="New passkey" {...form}>
      <NameField description="Where the passkey is, such as a phone." error={fields.name} />
      <ProofField problem={fields.password} failure={failure} />
      <FormFoot loading={isPending} onCancel={onDone}>
        Add the passkey
      </FormFoot>
    </form>
  );
}
