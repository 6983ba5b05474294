import "../components/auth.css";
import { useDocumentTitle } from "@mantine/hooks";
import { createLazyRoute, Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { ApiKeyNote } from "../components/api-key-note.tsx";
import { type NewAccount, SignUpForm } from "../components/sign-up-form.tsx";

export const route = createLazyRoute("/sign-up")({ component: SignUpPage });

function SignUpPage() {
  const { next = "/" } = route.useSearch();
  const router = useRouter();
  const [account, setAccount] = useState<NewAccount>();
  useDocumentTitle("Create an account · Soul Hub");
  if (account) {
    return (
      <div className="page page--narrow">
        <h1 className="page__title">Welcome, {account.username}</h1>
        <p className="page__lead">
          {account.isSignedIn
            ? "You are signed in. One thing before you go on:"
            : "Your account is ready. Keep this key, then sign in."}
        </p>
        <ApiKeyNote apiKey={account.apiKey} onDone={() => router.history.push(next)} />
      </div>
    );
  }
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Make yourself at home</h1>
      <p className="page__lead">
        An account lets you publish souls, and gives you more messages a day than a guest has.
      </p>
      <SignUpForm onDone={setAccount} />
      <p className="auth-form__foot">
        Been here before?{" "}
        <Link to="/sign-in" search={next === "/" ? {} : { next }}>
          Sign in
        </Link>
      </p>
    </div>
  );
}
