import { InputBase, type TextareaProps } from "@mantine/core";
import { lazyPart } from "./ui/lazy-part.tsx";

const MeasuredTextarea = lazyPart(() => import("./measured-textarea.tsx"), "MeasuredTextarea");

interface GrowingTextareaProps extends Omit<TextareaProps, "variant"> {
  /** Minimum height in lines. */
  minRows: number;
  /** Maximum height in lines. A longer text scrolls. */
  maxRows: number;
  variant?: "default" | "unstyled";
}

/** Mantine measures the text with a forced layout. On a phone that takes 60 ms in a room. */
const isSizedByBrowser = CSS.supports("field-sizing", "content");

/** A textarea that is as high as its text. */
export function GrowingTextarea({ className = "", ...props }: GrowingTextareaProps) {
  const { minRows, maxRows, ...others } = props;
  const sized = (
    <InputBase
      component="textarea"
      multiline
      {...others}
      className={`growing-textarea ${className}`}
      style={{ "--min-rows": minRows, "--max-rows": maxRows }}
    />
  );
  if (isSizedByBrowser) return sized;
  return <MeasuredTextarea {...props} className={className} fallback={sized} />;
}
