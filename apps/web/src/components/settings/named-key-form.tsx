import { Checkbox, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { apiKeys, invalidate, type KeyScope } from "../../queries.ts";
import { PasswordField } from "../account/password-field.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { FormFoot } from "../feedback/form-foot.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { scopeLabels, scopeNames } from "./key-scopes.ts";
import { NameField } from "./name-field.tsx";

const DAY_MS = 86_400_000;
const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "Never" },
];

const expiryAfter = (days: string) =>
  days === "" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();

export interface NewKey {
  id: number;
  apiKey: string;
}

interface NamedKeyFormProps {
  /** Called with the new key, which the hub shows only once. */
  onCreated: (created: NewKey) => void;
  onCancel: () => void;
}

export function NamedKeyForm({ onCreated, onCancel }: NamedKeyFormProps) {
  const [scopes, setScopes] = useState<string[]>(["chat"]);
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.createKey.mutate({
        name: textOf(form, "name"),
        scopes: scopes as KeyScope[],
        expires_at: expiryAfter(textOf(form, "lifetime")),
        password: String(form.get("password")),
      }),
    onSuccess: async ({ api_key, key }) => {
      await invalidate(apiKeys.queryKey);
      onCreated({ id: key.id, apiKey: api_key });
    },
  });
  const isWrongPassword = failure?.code === "wrong_password";
  return (
    <form className="stack stack--form" aria-label="New key" {...form}>
      <NameField
        description="What uses the key, such as a computer or an app."
        error={fields.name}
      />
      <Checkbox.Group
        label="Scopes"
        description="What the key may do. Public souls can be read without a scope."
        value={scopes}
        onChange={setScopes}
        error={fields.scopes}
      >
        <div className="stack stack--choices">
          {scopeNames.map((scope) => (
            <Checkbox key={scope} value={scope} {...scopeLabels[scope]} />
          ))}
        </div>
      </Checkbox.Group>
      <NativeSelect
        name="lifetime"
        label="Expires after"
        data={lifetimes}
        defaultValue="90"
        error={fields.expires_at}
      />
      <PasswordField error={fields.password ?? (isWrongPassword ? failure.title : undefined)} />
      {failure && !isWrongPassword && <FailureNote failure={failure} />}
      <FormFoot loading={isPending} disabled={scopes.length === 0} onCancel={onCancel}>
        Create the key
      </FormFoot>
    </form>
  );
}
