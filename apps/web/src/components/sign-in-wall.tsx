import { Button } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { BlankSlate } from "./blank-slate.tsx";

/** A page that needs an account: said kindly, and leading back here. */
export function SignInWall({ title, children }: { title: string; children: ReactNode }) {
  const next = useRouterState({ select: ({ location }) => location.href });
  return (
    <BlankSlate
      isPage
      title={title}
      ways={
        <>
          <Button renderRoot={(props) => <Link to="/sign-up" search={{ next }} {...props} />}>
            Create an account
          </Button>
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/sign-in" search={{ next }} {...props} />}
          >
            Sign in
          </Button>
        </>
      }
    >
      {children}
    </BlankSlate>
  );
}
