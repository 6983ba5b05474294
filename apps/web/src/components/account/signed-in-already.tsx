import { Button } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { signOut } from "./sign-out.ts";

interface SignedInAlreadyProps {
  username: string;
  /** The path to continue with. */
  next: string | undefined;
}

/** Shown to a member in place of the form for signing in or up. */
export function SignedInAlready({ username, next = "/" }: SignedInAlreadyProps) {
  const router = useRouter();
  return (
    <div className="page page--narrow">
      <h1 className="page__title">You are signed in</h1>
      <p className="page__lead">
        Your account is <strong>{username}</strong>.
      </p>
      <div className="row">
        <Button size="md" onClick={() => router.history.push(next)}>
          Continue
        </Button>
        <Button size="md" variant="default" onClick={() => void signOut()}>
          Use another account
        </Button>
      </div>
    </div>
  );
}
