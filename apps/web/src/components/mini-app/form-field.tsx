import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { MiniAppField } from "../../queries.ts";

interface FormFieldProps {
  field: MiniAppField;
  value: string;
  onValue: (value: string) => void;
  error: string | undefined;
}

/** One question of a mini app. The hub checks the answers and says which are wrong. */
export function FormField({ field, value, onValue, error }: FormFieldProps) {
  const common = {
    label: field.required ? field.label : `${field.label} (if you like)`,
    description: field.help || undefined,
    placeholder: field.placeholder || undefined,
    required: field.required,
    withAsterisk: false,
    value,
    error,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onValue(currentTarget.value),
  };
  switch (field.type) {
    case "textarea":
      return <Textarea {...common} autosize minRows={4} maxRows={14} />;
    case "select": {
      const { placeholder: _, ...rest } = common;
      return <NativeSelect {...rest} data={[{ value: "", label: "Choose" }, ...field.options]} />;
    }
    case "number":
      return <TextInput {...common} inputMode="numeric" type="text" />;
    default:
      return <TextInput {...common} />;
  }
}
