import type { ReactNode } from "react";

interface AskProps {
  /** The question, which is also the name of the group. */
  title: string;
  /** What follows from the answer. */
  text: ReactNode;
  /** The buttons. The confirming one has the focus. */
  children: ReactNode;
  role?: "dialog" | "group";
  className?: string;
}

/** Asks in place, without a dialog over the page. */
export const Ask = ({ title, text, children, role = "dialog", className = "" }: AskProps) => (
  <div className={`note note--question ${className}`} role={role} aria-label={title}>
    <p>
      <strong>{title}</strong> {text}
    </p>
    {children}
  </div>
);
