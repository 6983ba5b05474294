import type { ReactNode } from "react";
import { FailureNote } from "../feedback/failure-note.tsx";

interface StoredRowProps {
  name: ReactNode;
  facts: readonly ReactNode[];
  /** The buttons with which the member changes or removes it. */
  children?: ReactNode;
  error?: Error | null;
}

/** A key, a passkey or a session in its list. */
export const StoredRow = ({ name, facts, children, error }: StoredRowProps) => (
  <li>
    <strong>{name}</strong>
    {facts.map((fact, at) => (
      <span key={at} className="muted">
        {fact}
      </span>
    ))}
    {children && <span className="row">{children}</span>}
    <FailureNote error={error} />
  </li>
);
