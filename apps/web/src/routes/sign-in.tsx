import "../components/account/auth.css";
import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useAfterSignIn } from "../components/account/after-sign-in.tsx";
import { PasskeyButton } from "../components/account/passkey-button.tsx";
import { SignedInAlready } from "../components/account/signed-in-already.tsx";
import { UsernamePasswordFields } from "../components/account/username-password-fields.tsx";
import { FailureNote } from "../components/feedback/failure-note.tsx";
import { useFormMutation } from "../components/feedback/use-checked-form.ts";
import { usePageTitle } from "../components/ui/page-title.ts";
import { textOf } from "../form-data.ts";
import { hub } from "../hub.ts";
import { me } from "../queries.ts";

export const route = createLazyRoute("/sign-in")({ component: SignInPage });

function SignInPage() {
  const { next } = route.useSearch();
  const { data: user } = useQuery(me);
  const { onSignedIn, question, isSignedIn } = useAfterSignIn(next);
  usePageTitle("Sign in · Soul Hub");
  const { form, fields, error, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.login.mutate({
        username: textOf(form, "username"),
        password: String(form.get("password")),
        remember: form.get("remember") !== null,
      }),
    onSuccess: (answer) => onSignedIn(answer),
  });
  if (question) return question;
  // While the form signs in, the page that opens next replaces it.
  if (user && !isSignedIn) return <SignedInAlready username={user.username} next={next} />;
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Welcome back</h1>
      <p className="page__lead">Sign in to your souls and chats.</p>
      <form className="panel stack" {...form}>
        <FailureNote error={error} />
        <UsernamePasswordFields problems={fields} />
        <Checkbox name="remember" defaultChecked label="Keep me signed in for 30 days" />
        <Button type="submit" size="md" loading={isPending}>
          Sign in
        </Button>
        <PasskeyButton onSignedIn={onSignedIn} />
      </form>
      <p className="page__end">
        <Link to="/forgot-password">Forgot your password?</Link>
      </p>
      <p className="page__end">
        Or{" "}
        <Link to="/sign-in/wallet" search={{ next }}>
          sign in with your wallet
        </Link>
      </p>
      <p className="page__end">
        New here?{" "}
        <Link to="/sign-up" search={{ next }}>
          Create an account
        </Link>
      </p>
    </div>
  );
}
