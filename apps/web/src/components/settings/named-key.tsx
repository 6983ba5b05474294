import { useRef, useState } from "react";
import { fromNow, fullDate, isPast } from "../../clock.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { type ApiKey, apiKeys, invalidate } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { ask } from "../feedback/confirm.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { FormFoot } from "../feedback/form-foot.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { SmallButton } from "../ui/small-button.tsx";
import { scopeLabels } from "./key-scopes.ts";
import { NameField } from "./name-field.tsx";
import { StoredRow } from "./stored-row.tsx";

const expiryOf = (expiresAt: string | null) => {
  if (expiresAt === null) return "never expires";
  return `${isPast(expiresAt) ? "expired" : "expires"} ${fullDate(expiresAt)}`;
};

/** A named key in the list, with the buttons that rename and revoke it. */
export function NamedKey({ stored }: { stored: ApiKey }) {
  const { id, name, prefix, scopes, created_at, last_used_at, expires_at } = stored;
  const [isRenaming, setIsRenaming] = useState(false);
  const renameButton = useRef<HTMLButtonElement>(null);
  const endRenaming = () => {
    setIsRenaming(false);
    // The button is not rendered before the next frame.
    setTimeout(() => renameButton.current?.focus());
  };
  const used = last_used_at ? `last used ${fromNow(last_used_at)}` : "never used";
  if (isRenaming) {
    return (
      <li>
        <Renaming id={id} name={name} onDone={endRenaming} />
      </li>
    );
  }
  return (
    <StoredRow
      name={
        <>
          <bdi>{name}</bdi> <span className="code">{prefix}…</span>
        </>
      }
      facts={[
        scopes.map((scope) => scopeLabels[scope].label).join(", "),
        `Created ${fullDate(created_at)}, ${used}, ${expiryOf(expires_at)}`,
      ]}
    >
      <SmallButton
        ref={renameButton}
        aria-label={`Rename the key ${name}`}
        onClick={() => setIsRenaming(true)}
      >
        Rename
      </SmallButton>
      <SmallButton
        variant="subtle"
        color="red"
        aria-label={`Revoke the key ${name}`}
        onClick={() =>
          ask({
            title: "Revoke this key?",
            body: (
              <>
                <bdi>{name}</bdi> stops working at once, everywhere. This cannot be undone.
              </>
            ),
            verb: "Revoke",
            run: () => hub.accounts.revokeKey.mutate({ id }).then(afterChange([apiKeys.queryKey])),
          })
        }
      >
        Revoke
      </SmallButton>
    </StoredRow>
  );
}

function Renaming({ id, name, onDone }: { id: number; name: string; onDone: () => void }) {
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.renameKey.mutate({ id, name: textOf(form, "name") }),
    onSuccess: async () => {
      await invalidate(apiKeys.queryKey);
      onDone();
    },
  });
  return (
    <form
      className="stack stack--form"
      aria-label={`Rename the key ${name}`}
      onKeyDown={({ key }) => {
        if (key === "Escape") onDone();
      }}
      {...form}
    >
      <NameField defaultValue={name} error={fields.name} />
      {failure && !failure.fields.name && <FailureNote failure={failure} />}
      <FormFoot size="compact-sm" variant="default" loading={isPending} onCancel={onDone}>
        Save
      </FormFoot>
    </form>
  );
}
