import "./copyable-code.css";
import { CopyTextButton } from "./copy-text-button.tsx";

/** An API key or a message to sign, with a button that copies the text. */
export function CopyableCode({ text }: { text: string }) {
  return (
    <div className="copyable-code">
      <code data-word={!/\s/.test(text)}>{text}</code>
      <CopyTextButton text={text} label="Copy" />
    </div>
  );
}
