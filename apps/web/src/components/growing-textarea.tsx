import type { TextareaProps } from "@mantine/core";
import type { ComponentProps } from "react";

/** Mantine measures the text with a forced layout. On a phone that takes 60 ms in a room. */
const isSizedByBrowser = CSS.supports("field-sizing", "content");

interface Rows {
  /** Minimum height in lines. */
  minRows: number;
  /** Maximum height in lines. A longer text scrolls. */
  maxRows: number;
}

/** Props of Mantine's textarea that make it as high as its text. */
export const growing = ({ minRows, maxRows }: Rows): Partial<TextareaProps> =>
  isSizedByBrowser
    ? { className: "growing-textarea", style: { "--min-rows": minRows, "--max-rows": maxRows } }
    : { autosize: true, minRows, maxRows };

/** A textarea without a frame that is as high as its text. It needs none of Mantine's fields. */
export function GrowingTextarea({ minRows, maxRows, ...props }: Rows & ComponentProps<"textarea">) {
  const rows: Record<string, number> = { "--min-rows": minRows, "--max-rows": maxRows };
  return (
    <textarea
      dir="auto"
      rows={minRows}
      {...props}
      className={`growing-textarea ${props.className}`}
      style={rows}
      onInput={isSizedByBrowser ? undefined : fit}
    />
  );
}

function fit({ currentTarget }: { currentTarget: HTMLTextAreaElement }) {
  currentTarget.style.height = "auto";
  currentTarget.style.height = `${currentTarget.scrollHeight}px`;
}
