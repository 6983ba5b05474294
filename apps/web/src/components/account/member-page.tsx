import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Me, me } from "../../queries.ts";
import { PagePending } from "../feedback/page-pending.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { SignInWall } from "../ui/sign-in-wall.tsx";

interface MemberPageProps {
  title: string;
  lead: string;
  /**
   * The sentence that guests see instead of the page's content. It is followed by links to sign up
   * and to sign in.
   */
  guestHint: string;
  /** Narrows the page to the width of a text column. */
  isColumn?: boolean;
  /** A link above the title, to the page that this one belongs to. */
  back?: ReactNode;
  children: (user: Me) => ReactNode;
}

/** A page that needs an account. Members see its content, and guests see links to sign in. */
export function MemberPage({ title, lead, guestHint, isColumn, back, children }: MemberPageProps) {
  const { data: user, isPending } = useQuery(me);
  usePageTitle(`${title} · Soul Hub`);
  if (isPending) return <PagePending />;
  if (!user) return <SignInWall title={title}>{guestHint}</SignInWall>;
  return (
    <div className={isColumn ? "page page--reading" : "page"}>
      {back}
      <h1 className="page__title">{title}</h1>
      <p className="page__lead">{lead}</p>
      {children(user)}
    </div>
  );
}
