import { Textarea, type TextareaProps } from "@mantine/core";

interface GrowingTextareaProps extends TextareaProps {
  /** Minimum height in lines. */
  minRows: number;
  /** Maximum height in lines. A longer text scrolls. */
  maxRows: number;
}

/** Mantine measures the text with a forced layout. On a phone that takes 60 ms in a room. */
const isSizedByBrowser = CSS.supports("field-sizing", "content");

/** A textarea that is as high as its text. */
export function GrowingTextarea({ className = "", ...props }: GrowingTextareaProps) {
  const { minRows, maxRows, ...others } = props;
  if (!isSizedByBrowser) return <Textarea {...props} className={className} autosize />;
  return (
    <Textarea
      {...others}
      className={`growing-textarea ${className}`}
      style={{ "--min-rows": minRows, "--max-rows": maxRows }}
    />
  );
}
