import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { BlankSlate } from "./blank-slate.tsx";
import { LinkButton } from "./link-button.tsx";

/**
 * Shown to guests instead of a page that needs an account. After signing in, the user returns to
 * the page.
 */
export function SignInWall({ title, children }: { title: string; children: ReactNode }) {
  const next = useLocation({ select: ({ href }) => href });
  return (
    <BlankSlate
      isPage
      title={title}
      actions={
        <>
          <LinkButton to="/sign-up" search={{ next }}>
            Create an account
          </LinkButton>
          <LinkButton to="/sign-in" search={{ next }} variant="default">
            Sign in
          </LinkButton>
        </>
      }
    >
      {children}
    </BlankSlate>
  );
}
