import { Textarea, type TextareaProps } from "@mantine/core";

/** Mantine's textarea, for browsers that can't size a field by its content. */
export const MeasuredTextarea = (props: TextareaProps) => <Textarea {...props} autosize />;
