import { Button } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { timeOfDay } from "../clock.ts";
import type { Failure } from "../failures.ts";
import { BlankSlate } from "./blank-slate.tsx";

interface FailureViewProps {
  failure: Failure;
  onRetry?: () => void;
}

/** A page or list that could not be shown: why, and the way out. */
export function FailureView({ failure, onRetry }: FailureViewProps) {
  return (
    <BlankSlate
      isPage
      title={failure.title}
      ways={<FailureWays failure={failure} onRetry={onRetry} />}
    >
      {failure.hint}
      {failure.resetsAt && ` (${timeOfDay(failure.resetsAt)})`}
    </BlankSlate>
  );
}

function FailureWays({
  failure,
  onRetry,
}: {
  failure: Failure;
  onRetry: (() => void) | undefined;
}) {
  const here = useRouterState({ select: ({ location }) => location.href });
  switch (failure.way) {
    case "sign-in":
      return (
        <>
          <Button renderRoot={(props) => <Link to="/sign-in" search={{ next: here }} {...props} />}>
            Sign in
          </Button>
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/sign-up" search={{ next: here }} {...props} />}
          >
            Create an account
          </Button>
        </>
      );
    case "settings":
      return (
        <Button renderRoot={(props) => <Link to="/settings" {...props} />}>Open settings</Button>
      );
    case "browse":
      return <Button renderRoot={(props) => <Link to="/" {...props} />}>See all souls</Button>;
    case "reload":
      return <Button onClick={() => location.reload()}>Reload the page</Button>;
    default:
      return <Button onClick={onRetry ?? (() => location.reload())}>Try again</Button>;
  }
}
