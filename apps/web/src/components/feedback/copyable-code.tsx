import "./copyable-code.css";
import { CopyTextButton } from "./copy-text-button.tsx";

interface CopyableCodeProps {
  text: string;
  /** What the text is, such as "Base URL". */
  name?: string;
}

/** A text for another program, such as a key or a command, with a button that copies it. */
export function CopyableCode({ text, name }: CopyableCodeProps) {
  return (
    <div className="copyable-code">
      {name && <small>{name}</small>}
      <code className="code" dir="ltr">
        {/* The words do not change their places; between them are spaces and line breaks. */}
        {text
          .split(/(\s+)/)
          .map((part, at) => (at % 2 === 0 ? <span key={`${at}`}>{part}</span> : part))}
      </code>
      <CopyTextButton text={text} label="Copy" of={name} size="compact-sm" />
    </div>
  );
}
