import "./copy-field.css";
import { Fragment } from "react";
import { CopyTextButton } from "./copy-text-button.tsx";

interface CopyFieldProps {
  text: string;
  /** What the text is, such as "Base URL". */
  name?: string;
}

/** A text for another program, such as a key or a command, with a button that copies it. */
export function CopyField({ text, name }: CopyFieldProps) {
  return (
    <div className="copy-field">
      {name && <small>{name}</small>}
      <code className="code" dir="ltr" data-word={!/\s/.test(text)}>
        {partsOf(text).map((part, at) => (
          // The parts do not change their places.
          <Fragment key={at}>
            {at > 0 && " "}
            <span>{part}</span>
          </Fragment>
        ))}
      </code>
      <CopyTextButton text={text} label="Copy" of={name} size="compact-sm" />
    </div>
  );
}

/** The words of a command, or a text of several lines as a whole. */
const partsOf = (text: string) => (text.includes("\n") ? [text] : text.split(" "));
