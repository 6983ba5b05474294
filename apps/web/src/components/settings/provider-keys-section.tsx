import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fromNow } from "../../clock.ts";
import { hub } from "../../hub.ts";
import { invalidate, type ProviderKey, providerKeys } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";
import { SmallButton } from "../ui/small-button.tsx";
import { ProviderKeyForm, providerNames } from "./provider-key-form.tsx";

/** The member's own provider keys (decisions §5, BYOK), which are stored encrypted. */
export function ProviderKeysSection() {
  const { data: keys, error } = useQuery(providerKeys);
  const [isAdding, setIsAdding] = useState(false);
  return (
    <SettingsSection title="Your own provider keys">
      <p>
        With a key of OpenAI, Anthropic, Google or a compatible provider, scripts can talk to any
        soul at your own cost, without using your daily messages: see self-chat in the{" "}
        <a href="/docs">API reference</a>. A key is tested when you save it, stored encrypted, and
        never shown again.
      </p>
      <FailureNote error={error} />
      <ul className="settings__list">
        {keys?.map((key) => (
          <li key={key.provider}>
            <StoredKey stored={key} />
          </li>
        ))}
      </ul>
      {isAdding ? (
        <ProviderKeyForm onDone={() => setIsAdding(false)} />
      ) : (
        <Button className="settings__action" variant="default" onClick={() => setIsAdding(true)}>
          {keys?.length ? "Add or change a key" : "Add a key"}
        </Button>
      )}
    </SettingsSection>
  );
}

function StoredKey({ stored }: { stored: ProviderKey }) {
  const { provider, hint, text_model, active, created_at } = stored;
  const activate = useMutation({
    mutationFn: () => hub.byok.save.mutate({ provider, active: !active }),
    onSuccess: () => invalidate(providerKeys.queryKey),
  });
  const remove = useMutation({
    mutationFn: () => hub.byok.delete.mutate({ provider }),
    onSuccess: afterChange([providerKeys.queryKey]),
  });
  const failed = activate.error ?? remove.error;
  const name = providerNames[provider];
  return (
    <>
      <strong>
        {name} <span className="settings__hint">…{hint}</span>
      </strong>
      <span className="muted">
        {active ? "active" : "inactive"}
        {text_model && `, ${text_model}`}, saved {fromNow(created_at)}
      </span>
      <span className="row">
        <SmallButton
          call={activate}
          aria-label={`${active ? "Deactivate" : "Activate"} the ${name} key`}
        >
          {active ? "Deactivate" : "Activate"}
        </SmallButton>
        <SmallButton
          variant="subtle"
          color="red"
          call={remove}
          aria-label={`Delete the ${name} key`}
        >
          Delete
        </SmallButton>
      </span>
      <FailureNote error={failed} />
    </>
  );
}
