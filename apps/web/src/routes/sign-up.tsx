import "../components/account/auth.css";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useRouter } from "@tanstack/react-router";
import { SignUpForm, useSignUp } from "../components/account/sign-up-form.tsx";
import { SignedInAlready } from "../components/account/signed-in-already.tsx";
import { CopyableCode } from "../components/feedback/copyable-code.tsx";
import { usePageTitle } from "../components/room-list/page-title.ts";
import { me } from "../queries.ts";

export const route = createLazyRoute("/sign-up")({ component: SignUpPage });

function SignUpPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const { data: user } = useQuery(me);
  const signUp = useSignUp();
  const account = signUp.data;
  usePageTitle("Create an account · Soul Hub");
  if (account) {
    return (
      <div className="page page--narrow">
        <h1 className="page__title">Welcome, {account.username}</h1>
        <p className="page__lead">
          {account.isSignedIn
            ? "You are signed in. Before you continue:"
            : "Your account is ready. Save this key, then sign in."}
        </p>
        <div className="panel stack">
          <div className="new-key">
            <h2>Your API key</h2>
            <p>
              Scripts and bots use it to act as you. This site never asks for it. Keep it secret,
              like a password. You can see it again in your settings.
            </p>
          </div>
          <CopyableCode text={account.apiKey} />
          <Button size="md" onClick={() => router.history.push(next ?? "/")}>
            Continue
          </Button>
        </div>
      </div>
    );
  }
  // The form itself signs in, too, and then shows the API key.
  if (user && signUp.isIdle) return <SignedInAlready username={user.username} next={next} />;
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Create your account</h1>
      <p className="page__lead">
        With an account you can publish souls and send more messages a day than a guest.
      </p>
      <SignUpForm signUp={signUp} />
      <p className="auth-form__foot">
        Already have an account?{" "}
        <Link to="/sign-in" search={{ next }}>
          Sign in
        </Link>
      </p>
    </div>
  );
}
