import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiKeys } from "../../queries.ts";
import { CopyField } from "../feedback/copy-field.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";
import { FormOpener } from "./form-opener.tsx";
import { NamedKey } from "./named-key.tsx";
import { NamedKeyForm, type NewKey } from "./named-key-form.tsx";

/** The member's named keys (0050): one for each program, with the scopes that it needs. */
export function NamedKeysSection() {
  const { data: keys, error } = useQuery(apiKeys);
  const [created, setCreated] = useState<NewKey>();
  return (
    <SettingsSection title="Keys for programs">
      <p>
        Each app, script or computer gets a key of its own, which does only what its scopes allow.
      </p>
      <FailureNote error={error} />
      <ul className="divided">
        {keys?.map((key) => (
          <NamedKey key={key.id} stored={key} />
        ))}
      </ul>
      {created && keys?.some(({ id }) => id === created.id) && (
        <div role="status" className="stack stack--close">
          <p>Copy the new key now. It is not shown again.</p>
          <CopyField text={created.apiKey} />
        </div>
      )}
      <FormOpener label="Create a key" onOpen={() => setCreated(undefined)}>
        {(close) => (
          <NamedKeyForm
            onCreated={(made) => {
              setCreated(made);
              close();
            }}
            onCancel={close}
          />
        )}
      </FormOpener>
    </SettingsSection>
  );
}
