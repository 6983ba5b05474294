import { VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { copyText } from "../../../copy-text.ts";
import { CheckIcon, CopyIcon } from "../../icons.tsx";

const SHOWN_MS = 2_000;

/** Copies a reply, or the part of one that never became whole. */
export function CopyReplyButton({ text, label = "Copy reply" }: { text: string; label?: string }) {
  const [result, setResult] = useState<string>();
  const copy = async () => {
    setResult((await copyText(text)) ? "Copied" : "Couldn't copy");
    setTimeout(() => setResult(undefined), SHOWN_MS);
  };
  return (
    <button
      type="button"
      className="plain-button line__action"
      title={label}
      onClick={() => void copy()}
    >
      {result === "Copied" ? <CheckIcon size={17} /> : <CopyIcon size={17} />}
      <VisuallyHidden aria-live="polite">{result ?? label}</VisuallyHidden>
    </button>
  );
}
