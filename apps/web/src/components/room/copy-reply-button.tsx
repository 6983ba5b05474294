import { useState } from "react";
import { copyText } from "../../copy-text.ts";
import { CheckIcon, CopyIcon } from "../icons.tsx";

const TOLD_MS = 2_000;

/** A plain button: there is one for every reply of a long room. */
export function CopyReplyButton({ text }: { text: string }) {
  const [told, setTold] = useState<string>();
  const copy = async () => {
    setTold((await copyText(text)) ? "Copied" : "Not allowed here");
    setTimeout(() => setTold(undefined), TOLD_MS);
  };
  return (
    <button type="button" className="line__copy" onClick={() => void copy()}>
      {told === "Copied" ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
      <span aria-live="polite">{told ?? "Copy reply"}</span>
    </button>
  );
}
