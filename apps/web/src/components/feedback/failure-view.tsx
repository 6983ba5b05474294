import { Button } from "@mantine/core";
import { type Failure, failureOf, hintOf } from "../../failures.ts";
import { BlankSlate } from "../ui/blank-slate.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { SignInWall } from "../ui/sign-in-wall.tsx";

interface FailureViewProps {
  failure: Failure;
  /** The action of the button "Try again"; by default, the button reloads the page. */
  onRetry?: () => void;
}

/** Replaces a page or list that failed to load with the reason and the next step. */
export function FailureView({ failure, onRetry = reloadPage }: FailureViewProps) {
  const { title, recovery } = failure;
  const hint = hintOf(failure);
  if (recovery === "sign-in") return <SignInWall title={title}>{hint}</SignInWall>;
  return (
    <BlankSlate isPage title={title} actions={<NextStep failure={failure} onRetry={onRetry} />}>
      {hint}
    </BlankSlate>
  );
}

export interface FailedQuery {
  error: Error | null;
  refetch: () => unknown;
}

/** Replaces a page or list whose query failed before it had data. */
export function QueryFailure({ query }: { query: FailedQuery }) {
  return <FailureView failure={failureOf(query.error)} onRetry={() => void query.refetch()} />;
}

const reloadPage = () => location.reload();

function NextStep({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  switch (failure.recovery) {
    case "settings":
      return (
        <LinkButton
          to="/settings/{-$group}"
          params={{ group: failure.code === "email_unverified" ? "account" : "security" }}
        >
          Open settings
        </LinkButton>
      );
    case "notices":
      return <LinkButton to="/notices">Read your notices</LinkButton>;
    case "browse":
      return <LinkButton to="/">See all souls</LinkButton>;
    case "reload":
      return <Button onClick={reloadPage}>Reload the page</Button>;
    default:
      return <Button onClick={onRetry}>Try again</Button>;
  }
}
