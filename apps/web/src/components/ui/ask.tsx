import type { ComponentProps, ReactNode } from "react";

interface AskProps extends Omit<ComponentProps<"div">, "title"> {
  /** The question, which is also the accessible name. */
  title: string;
  /** What follows from the answer. */
  text: ReactNode;
  /** The buttons. The confirming one has the focus. */
  children: ReactNode;
}

/** Asks in place, without a dialog over the page. */
export const Ask = ({ title, text, children, className = "", ...rest }: AskProps) => (
  <div className={`note note--question ${className}`} role="dialog" aria-label={title} {...rest}>
    <p>
      <strong>{title}</strong> {text}
    </p>
    {children}
  </div>
);
