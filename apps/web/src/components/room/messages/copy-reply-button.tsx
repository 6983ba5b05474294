import { useState } from "react";
import { copyText } from "../../../copy-text.ts";
import { CheckIcon, CopyIcon } from "../../icons.tsx";

const SHOWN_MS = 2_000;

interface CopyReplyButtonProps {
  text: string;
  /** True for the part of a reply that never became whole. */
  isPart?: boolean;
}

/**
 * Copies a reply. A plain HTML button renders faster than Mantine's, and a long room has hundreds.
 */
export function CopyReplyButton({ text, isPart = false }: CopyReplyButtonProps) {
  const [result, setResult] = useState<string>();
  const copy = async () => {
    setResult((await copyText(text)) ? "Copied" : "Couldn't copy");
    setTimeout(() => setResult(undefined), SHOWN_MS);
  };
  return (
    <button
      type="button"
      className={`plain-button line__action${isPart ? "" : " line__copy"}`}
      onClick={() => void copy()}
    >
      {result === "Copied" ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
      <span aria-live="polite">{result ?? (isPart ? "Copy" : "Copy reply")}</span>
    </button>
  );
}
