import { Fragment } from "react";
import { CopyTextButton } from "../feedback/copy-text-button.tsx";

interface CopyFieldProps {
  /** What the text is, such as "Base URL". */
  name: string;
  text: string;
}

/** A named line of text for another program, with a button that copies it. */
export function CopyField({ name, text }: CopyFieldProps) {
  return (
    <div className="copy-field">
      <span className="copy-field__name">{name}</span>
      <code className="copy-field__text" dir="ltr">
        {text.split(" ").map((word, at) => (
          // The words of a command do not change their places.
          <Fragment key={at}>
            {at > 0 && " "}
            <span className="copy-field__word">{word}</span>
          </Fragment>
        ))}
      </code>
      <CopyTextButton
        className="copy-field__button"
        text={text}
        label="Copy"
        of={name}
        size="compact-sm"
      />
    </div>
  );
}
