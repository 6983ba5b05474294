import { Button, type ButtonProps } from "@mantine/core";

interface FormFootProps extends Pick<ButtonProps, "variant" | "loading" | "disabled" | "children"> {
  size?: "sm" | "xs" | "compact-sm";
  /** The variant of the button "Cancel". */
  cancel?: "subtle" | "default";
  onCancel: () => void;
}

/** The buttons of a form within a settings section. `children` is the text of the first button. */
export const FormFoot = ({
  size = "sm",
  cancel = "subtle",
  onCancel,
  ...submit
}: FormFootProps) => (
  <div className="row">
    <Button type="submit" size={size} {...submit} />
    <Button size={size} variant={cancel} color="gray" onClick={onCancel}>
      Cancel
    </Button>
  </div>
);
