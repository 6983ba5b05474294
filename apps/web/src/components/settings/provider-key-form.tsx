import { Button, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { type ProviderName, providerKeys } from "../../queries.ts";
import { FailureNote } from "../failure-note.tsx";
import { toast } from "../toasts.tsx";

export const providerNames: Readonly<Record<ProviderName, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  "openai-compatible": "OpenAI-compatible",
};

const choices = (Object.keys(providerNames) as ProviderName[]).map((value) => ({
  value,
  label: providerNames[value],
}));

const models = [
  {
    name: "text_model",
    label: "Model (if you like)",
    placeholder: "the provider's usual one",
  },
  { name: "vision_model", label: "Model for images (if you like)", placeholder: "none" },
] as const;

/** A new key, or other models for one that is stored. */
export function ProviderKeyForm({ onDone }: { onDone: () => void }) {
  const cache = useQueryClient();
  const [provider, setProvider] = useState<ProviderName>("openai");
  const save = useMutation({
    mutationFn: (form: FormData) => {
      const given = (name: string) => String(form.get(name) ?? "").trim() || undefined;
      return hub.byok.save.mutate({
        provider,
        api_key: given("api_key"),
        text_model: given("text_model"),
        vision_model: given("vision_model"),
        base_url: given("base_url"),
      });
    },
    onSuccess: async ({ message }) => {
      await cache.invalidateQueries({ queryKey: providerKeys.queryKey });
      void toast({ message });
      onDone();
    },
  });
  const failure = save.error ? failureOf(save.error) : undefined;
  const plain = { autoCapitalize: "none", spellCheck: false, autoComplete: "off" } as const;
  return (
    <form
      className="settings__form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(new FormData(event.currentTarget));
      }}
    >
      <NativeSelect
        label="Provider"
        value={provider}
        data={choices}
        onChange={({ currentTarget }) => {
          const chosen = choices.find(({ value }) => value === currentTarget.value);
          if (chosen) setProvider(chosen.value);
        }}
      />
      <PasswordInput
        name="api_key"
        label="Key"
        description="Leave it empty to keep the stored one."
        autoComplete="off"
        error={failure?.fields.api_key}
      />
      {provider === "openai-compatible" && (
        <TextInput
          {...plain}
          name="base_url"
          label="Address"
          description="Only at a host that whoever runs this hub allows."
          placeholder="https://llm.example.org/v1"
          error={failure?.fields.base_url}
        />
      )}
      {models.map(({ name, ...shown }) => (
        <TextInput key={name} {...plain} {...shown} name={name} error={failure?.fields[name]} />
      ))}
      {failure && <FailureNote failure={failure} />}
      <div className="settings__ways">
        <Button type="submit" variant="default" loading={save.isPending}>
          Try it and save
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
