import { TextInput, type TextInputProps } from "@mantine/core";

/** The field for the name of a key or a passkey. */
export const NameField = (props: TextInputProps) => (
  <TextInput
    name="name"
    label="Name"
    maxLength={60}
    required
    dir="auto"
    autoComplete="off"
    autoFocus
    {...props}
  />
);
