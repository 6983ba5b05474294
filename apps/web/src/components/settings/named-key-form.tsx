import { Checkbox, NativeSelect, PasswordInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../../failures.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { apiKeys, invalidate, type KeyScope } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { FormFoot } from "./form-foot.tsx";
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
  const create = useMutation({
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
  const failure = create.error ? failureOf(create.error) : undefined;
  const { form, problems } = useCheckedForm(create);
  const isWrongPassword = failure?.code === "wrong_password";
  return (
    <form className="stack stack--form" aria-label="New key" {...form}>
      <NameField
        description="What uses the key, such as a computer or an app."
        error={problems.name ?? failure?.fields.name}
      />
      <Checkbox.Group
        label="Scopes"
        description="What the key may do. Public souls can be read without a scope."
        value={scopes}
        onChange={setScopes}
        error={failure?.fields.scopes}
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
        error={failure?.fields.expires_at}
      />
      <PasswordInput
        name="password"
        label="Your password"
        autoComplete="current-password"
        required
        error={problems.password ?? (isWrongPassword ? failure.title : undefined)}
      />
      {failure && !isWrongPassword && <FailureNote failure={failure} />}
      <FormFoot loading={create.isPending} disabled={scopes.length === 0} onCancel={onCancel}>
        Create the key
      </FormFoot>
    </form>
  );
}
