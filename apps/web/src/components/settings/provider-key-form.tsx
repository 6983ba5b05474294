import { NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../../failures.ts";
import { submitWith, textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { type ProviderName, providerKeys } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { FormFoot } from "../feedback/form-foot.tsx";

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
  { name: "text_model", label: "Model (optional)", placeholder: "the provider's default" },
  { name: "vision_model", label: "Model for images (optional)", placeholder: "none" },
] as const;

/** A form that saves a new provider key, or changes the models of a stored key. */
export function ProviderKeyForm({ onDone }: { onDone: () => void }) {
  const [provider, setProvider] = useState<ProviderName>("openai");
  const save = useMutation({
    mutationFn: (form: FormData) => {
      const given = (name: string) => textOf(form, name) || undefined;
      return hub.byok.save.mutate({
        provider,
        api_key: given("api_key"),
        text_model: given("text_model"),
        vision_model: given("vision_model"),
        base_url: given("base_url"),
      });
    },
    onSuccess: afterChange([providerKeys.queryKey], onDone),
  });
  const failure = save.error ? failureOf(save.error) : undefined;
  const plain = { autoCapitalize: "none", spellCheck: false, autoComplete: "off" } as const;
  return (
    <form className="stack stack--form" onSubmit={submitWith(save.mutate)}>
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
        description="Leave empty to keep the stored key."
        autoComplete="off"
        error={failure?.fields.api_key}
      />
      {provider === "openai-compatible" && (
        <TextInput
          {...plain}
          name="base_url"
          label="Address"
          description="Must be on a host that the operator of this hub allows."
          placeholder="https://llm.example.org/v1"
          error={failure?.fields.base_url}
        />
      )}
      {models.map(({ name, ...shown }) => (
        <TextInput key={name} {...plain} {...shown} name={name} error={failure?.fields[name]} />
      ))}
      <FailureNote failure={failure} />
      <FormFoot variant="default" loading={save.isPending} onCancel={onDone}>
        Test and save
      </FormFoot>
    </form>
  );
}
