import "./blank-slate.css";
import type { ReactNode } from "react";
import { Sigil } from "./sigil.tsx";

interface BlankSlateProps {
  title: string;
  children: ReactNode;
  /** Buttons: what to do next. */
  ways?: ReactNode;
  /** The only heading of its page. */
  isPage?: boolean;
}

/** Where nothing is, say why and what to do next. */
export function BlankSlate({ title, children, ways, isPage = false }: BlankSlateProps) {
  const Heading = isPage ? "h1" : "h2";
  return (
    <div className="blank-slate">
      <div className="blank-slate__masks">
        <Sigil id={7} size={52} />
        <Sigil id={23} size={60} />
        <Sigil id={40} size={52} />
      </div>
      <Heading>{title}</Heading>
      <p>{children}</p>
      {ways && <div className="blank-slate__ways">{ways}</div>}
    </div>
  );
}
