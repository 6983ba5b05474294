import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fromNow } from "../../clock.ts";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { invalidate, type ProviderKey, providerKeys } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";
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
      {error && <FailureNote failure={failureOf(error)} />}
      <ul className="divided">
        {keys?.map((key) => (
          <li key={key.provider}>
            <StoredKey stored={key} />
          </li>
        ))}
      </ul>
      {isAdding ? (
        <ProviderKeyForm onDone={() => setIsAdding(false)} />
      ) : (
        <Button variant="default" onClick={() => setIsAdding(true)}>
          {keys?.length ? "Add or change a key" : "Add a key"}
        </Button>
      )}
    </SettingsSection>
  );
}

function StoredKey({ stored }: { stored: ProviderKey }) {
  const { provider, hint, text_model, active, created_at } = stored;
  const refetch = () => invalidate(providerKeys.queryKey);
  const activate = useMutation({
    mutationFn: () => hub.byok.save.mutate({ provider, active: !active }),
    onSuccess: refetch,
  });
  const remove = useMutation({
    mutationFn: () => hub.byok.delete.mutate({ provider }),
    onSuccess: async ({ message }) => {
      await refetch();
      void toast({ message });
    },
  });
  const failed = activate.error ?? remove.error;
  const name = providerNames[provider];
  return (
    <>
      <strong>
        {name} <span className="code">…{hint}</span>
      </strong>
      <span className="muted">
        {active ? "active" : "inactive"}
        {text_model && `, ${text_model}`}, saved {fromNow(created_at)}
      </span>
      <span className="row">
        <Button
          size="compact-sm"
          variant="default"
          loading={activate.isPending}
          aria-label={`${active ? "Deactivate" : "Activate"} the ${name} key`}
          onClick={() => activate.mutate()}
        >
          {active ? "Deactivate" : "Activate"}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={remove.isPending}
          aria-label={`Delete the ${name} key`}
          onClick={() => remove.mutate()}
        >
          Delete
        </Button>
      </span>
      {failed && <FailureNote failure={failureOf(failed)} />}
    </>
  );
}
