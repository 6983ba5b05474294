import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { MiniAppField } from "../../queries.ts";
import { growing } from "../growing-textarea.tsx";

interface FormFieldProps {
  field: MiniAppField;
  value: string;
  onValue: (value: string) => void;
  error: string | undefined;
}

/** One field of a mini app's form; the API validates it. */
export function FormField({ field, value, onValue, error }: FormFieldProps) {
  const common = {
    label: field.required ? field.label : `${field.label} (optional)`,
    description: field.help || undefined,
    placeholder: field.placeholder || undefined,
    required: field.required,
    value,
    error,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onValue(currentTarget.value),
  };
  switch (field.type) {
    case "textarea":
      return <Textarea {...common} {...growing({ minRows: 4, maxRows: 14 })} />;
    case "select": {
      const { placeholder: _, ...rest } = common;
      return <NativeSelect {...rest} data={[{ value: "", label: "Choose" }, ...field.options]} />;
    }
    default:
      return <TextInput {...common} inputMode={field.type === "number" ? "numeric" : "text"} />;
  }
}
