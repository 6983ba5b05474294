import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { failureOf } from "../../failures.ts";
import { apiKeys } from "../../queries.ts";
import { CopyableCode } from "../feedback/copyable-code.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";
import { NamedKey } from "./named-key.tsx";
import { NamedKeyForm, type NewKey } from "./named-key-form.tsx";

/** The member's named keys (0050): one for each program, with the scopes that it needs. */
export function NamedKeysSection() {
  const { data: keys, error } = useQuery(apiKeys);
  const [isAdding, setIsAdding] = useState(false);
  const [created, setCreated] = useState<NewKey>();
  const addButton = useRef<HTMLButtonElement>(null);
  const endAdding = () => {
    setIsAdding(false);
    // The button is not rendered before the next frame.
    setTimeout(() => addButton.current?.focus());
  };
  return (
    <SettingsSection title="Keys for programs">
      <p>
        Give each app, script or computer a key of its own. It may do only what its scopes allow,
        and you can revoke it without changing the others.
      </p>
      {error && <FailureNote failure={failureOf(error)} />}
      <ul className="divided">
        {keys?.map((key) => (
          <li key={key.id}>
            <NamedKey stored={key} />
          </li>
        ))}
      </ul>
      {created && keys?.some(({ id }) => id === created.id) && (
        <div role="status" className="stack stack--close">
          <p>Copy the new key now. It is not shown again.</p>
          <CopyableCode text={created.apiKey} />
        </div>
      )}
      {isAdding ? (
        <NamedKeyForm
          onCreated={(made) => {
            setCreated(made);
            endAdding();
          }}
          onCancel={endAdding}
        />
      ) : (
        <Button
          ref={addButton}
          variant="default"
          onClick={() => {
            setCreated(undefined);
            setIsAdding(true);
          }}
        >
          Create a key
        </Button>
      )}
    </SettingsSection>
  );
}
