import type { ComponentProps, ReactNode } from "react";
import { closeOnEscape } from "./close-on-escape.ts";

interface AskProps extends Omit<ComponentProps<"div">, "title"> {
  /** The question, which is also the accessible name. */
  title: string;
  /** What follows from the answer. */
  text: ReactNode;
  /** Answers no. Absent where the element around closes the question on Escape. */
  onCancel?: () => void;
  /** The buttons. The confirming one has the focus. */
  children: ReactNode;
}

/** Asks in place, without a dialog over the page. */
export const Ask = ({ title, text, onCancel, children, className = "", ...rest }: AskProps) => (
  <div
    className={`note note--question ${className}`}
    role="dialog"
    aria-label={title}
    {...(onCancel && closeOnEscape(onCancel))}
    {...rest}
  >
    <p>
      <strong>{title}</strong> {text}
    </p>
    {children}
  </div>
);
