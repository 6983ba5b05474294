import type { ReactNode } from "react";
import { BlankSlate } from "./blank-slate.tsx";
import { AccountButton } from "./sign-in-link.tsx";

/**
 * Shown to guests instead of a page that needs an account. After signing in, the user returns to
 * the page.
 */
export function SignInWall({ title, children }: { title: string; children: ReactNode }) {
  return (
    <BlankSlate
      isPage
      title={title}
      actions={
        <>
          <AccountButton to="/sign-up">Create an account</AccountButton>
          <AccountButton to="/sign-in" variant="default">
            Sign in
          </AccountButton>
        </>
      }
    >
      {children}
    </BlankSlate>
  );
}
