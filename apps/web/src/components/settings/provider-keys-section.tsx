import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fromNow } from "../../clock.ts";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { type ProviderKey, providerKeys } from "../../queries.ts";
import { FailureNote } from "../failure-note.tsx";
import { toast } from "../toasts.tsx";
import { ProviderKeyForm, providerNames } from "./provider-key-form.tsx";
import { SettingsSection } from "./settings-section.tsx";

/** Keys of one's own: stored sealed, never shown again. */
export function ProviderKeysSection() {
  const { data: keys, error } = useQuery(providerKeys);
  const [isAdding, setIsAdding] = useState(false);
  return (
    <SettingsSection title="Your own provider keys">
      <p>
        With a key of OpenAI, Anthropic, Google or a compatible provider, scripts can talk to any
        soul at your own cost, outside the daily messages: see self-chat in the{" "}
        <a href="/docs">API reference</a>. A key is tried once when you save it, stored encrypted,
        and never shown again.
      </p>
      {error && <FailureNote failure={failureOf(error)} />}
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
        <Button className="settings__way" variant="default" onClick={() => setIsAdding(true)}>
          {keys?.length ? "Add or change a key" : "Add a key"}
        </Button>
      )}
    </SettingsSection>
  );
}

function StoredKey({ stored }: { stored: ProviderKey }) {
  const { provider, hint, text_model, active, created_at } = stored;
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: providerKeys.queryKey });
  const activate = useMutation({
    mutationFn: () => hub.byok.save.mutate({ provider, active: !active }),
    onSuccess: again,
  });
  const remove = useMutation({
    mutationFn: () => hub.byok.delete.mutate({ provider }),
    onSuccess: async ({ message }) => {
      await again();
      void toast({ message });
    },
  });
  const failed = activate.error ?? remove.error;
  const name = providerNames[provider];
  return (
    <>
      <strong>
        {name} <span className="settings__hint">…{hint}</span>
      </strong>
      <span>
        {active ? "in use" : "not in use"}
        {text_model && `, ${text_model}`}, saved {fromNow(created_at)}
      </span>
      <span className="settings__ways">
        <Button
          size="compact-sm"
          variant="default"
          loading={activate.isPending}
          aria-label={`${active ? "Stop using" : "Use"} the key of ${name}`}
          onClick={() => activate.mutate()}
        >
          {active ? "Stop using it" : "Use it"}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={remove.isPending}
          aria-label={`Delete the key of ${name}`}
          onClick={() => remove.mutate()}
        >
          Delete
        </Button>
      </span>
      {failed && <FailureNote failure={failureOf(failed)} />}
    </>
  );
}
