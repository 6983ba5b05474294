import type { ReactNode } from "react";
import { Sigil } from "./sigil.tsx";

interface BlankSlateProps {
  title: string;
  children: ReactNode;
  /** Buttons that offer the next step, below the text. */
  actions?: ReactNode;
  /** Renders the title as the page's h1. */
  isPage?: boolean;
}

/** An empty state: explains why nothing is shown and offers the next step. */
export function BlankSlate({ title, children, actions, isPage = false }: BlankSlateProps) {
  const Heading = isPage ? "h1" : "h2";
  return (
    <div className="stack blank-slate">
      <div className="row blank-slate__masks">
        <Sigil id={7} size={52} />
        <Sigil id={23} size={60} />
        <Sigil id={40} size={52} />
      </div>
      <Heading>{title}</Heading>
      <p>{children}</p>
      {actions && <div className="row row--center">{actions}</div>}
    </div>
  );
}
