import { useMutation, useQuery } from "@tanstack/react-query";
import { fromNow } from "../../clock.ts";
import { hub } from "../../hub.ts";
import { invalidate, type ProviderKey, providerKeys } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { ask, pageContent } from "../feedback/confirm.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";
import { SmallButton } from "../ui/small-button.tsx";
import { FormOpener } from "./form-opener.tsx";
import { ProviderKeyForm, providerNames } from "./provider-key-form.tsx";
import { StoredRow } from "./stored-row.tsx";

/** The member's own provider keys (decisions §5, BYOK), which are stored encrypted. */
export function ProviderKeysSection() {
  const { data: keys, error } = useQuery(providerKeys);
  return (
    <SettingsSection title="Your own provider keys">
      <p>
        With a key of a model's provider, scripts talk to any soul at your own cost in place of your
        daily messages (self-chat in the <a href="/docs">API reference</a>).
      </p>
      <FailureNote error={error} />
      <ul className="divided">
        {keys?.map((key) => (
          <StoredKey key={key.provider} stored={key} />
        ))}
      </ul>
      <FormOpener label={keys?.length ? "Add or change a key" : "Add a key"}>
        {(close) => <ProviderKeyForm onDone={close} />}
      </FormOpener>
    </SettingsSection>
  );
}

function StoredKey({ stored }: { stored: ProviderKey }) {
  const { provider, hint, text_model, active, created_at } = stored;
  const activate = useMutation({
    mutationFn: () => hub.byok.save.mutate({ provider, active: !active }),
    onSuccess: () => invalidate(providerKeys.queryKey),
  });
  const name = providerNames[provider];
  const model = text_model ? `, ${text_model}` : "";
  return (
    <StoredRow
      name={
        <>
          {name} <span className="code">…{hint}</span>
        </>
      }
      facts={[`${active ? "active" : "inactive"}${model}, saved ${fromNow(created_at)}`]}
      error={activate.error}
    >
      <SmallButton
        call={activate}
        aria-label={`${active ? "Deactivate" : "Activate"} the ${name} key`}
      >
        {active ? "Deactivate" : "Activate"}
      </SmallButton>
      <SmallButton
        variant="subtle"
        color="red"
        aria-label={`Delete the ${name} key`}
        onClick={() =>
          ask({
            title: `Delete the ${name} key?`,
            body: "Programs that use it stop. To use it again, you enter it again.",
            verb: "Delete",
            next: pageContent,
            run: () =>
              hub.byok.delete.mutate({ provider }).then(afterChange([providerKeys.queryKey])),
          })
        }
      >
        Delete
      </SmallButton>
    </StoredRow>
  );
}
