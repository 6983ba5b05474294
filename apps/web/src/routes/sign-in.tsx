import "../components/auth.css";
import { Button, Checkbox, PasswordInput, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { createLazyRoute, Link, useRouter } from "@tanstack/react-router";
import type { SubmitEvent } from "react";
import { FailureNote } from "../components/failure-note.tsx";
import { failureOf } from "../failures.ts";
import { hub } from "../hub.ts";
import { forgetEverything } from "../queries.ts";

export const route = createLazyRoute("/sign-in")({ component: SignInPage });

function SignInPage() {
  const { next = "/" } = route.useSearch();
  const router = useRouter();
  useDocumentTitle("Sign in · Soul Hub");
  const signIn = useMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.login.mutate({
        username: String(form.get("username")).trim(),
        password: String(form.get("password")),
        remember: form.get("remember") !== null,
      }),
    onSuccess: async () => {
      await forgetEverything();
      router.history.push(next);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    signIn.mutate(new FormData(event.currentTarget));
  };
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Welcome back</h1>
      <p className="page__lead">Your souls and your rooms are where you left them.</p>
      <form className="panel auth-form" onSubmit={submit}>
        {signIn.isError && <FailureNote failure={failureOf(signIn.error)} />}
        <TextInput
          name="username"
          label="Username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
        />
        <PasswordInput
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
        />
        <Checkbox name="remember" defaultChecked label="Keep me signed in for 30 days" />
        <Button type="submit" size="md" loading={signIn.isPending}>
          Sign in
        </Button>
      </form>
      <p className="auth-form__foot">
        Or{" "}
        <Link to="/sign-in/wallet" search={next === "/" ? {} : { next }}>
          sign in with your wallet
        </Link>
      </p>
      <p className="auth-form__foot">
        New here?{" "}
        <Link to="/sign-up" search={next === "/" ? {} : { next }}>
          Create an account
        </Link>
      </p>
    </div>
  );
}
