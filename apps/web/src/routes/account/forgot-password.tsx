import "../../components/account/auth.css";
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { UsernameField } from "../../components/account/username-password-fields.tsx";
import { FailureNote } from "../../components/feedback/failure-note.tsx";
import { useCheckedForm } from "../../components/feedback/use-checked-form.ts";
import { usePageTitle } from "../../components/ui/page-title.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { hubInfo } from "../../queries.ts";

export const route = createLazyRoute("/forgot-password")({ component: ForgotPasswordPage });

/** Asks for a mail with a link to a new password (0059). The answer reveals no account. */
function ForgotPasswordPage() {
  const { data: about } = useQuery(hubInfo);
  const ask = useMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.forgotPassword.mutate({ login: textOf(form, "login") }),
  });
  usePageTitle("Forgot your password? · Soul Hub");
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Forgot your password?</h1>
      {about && !about.mail ? (
        <NoMail contact={about.contact} />
      ) : ask.isSuccess ? (
        <Asked message={ask.data.message} onAgain={ask.reset} />
      ) : (
        <>
          <p className="page__lead">We mail you a link with which you set a new one.</p>
          <LoginForm ask={ask} />
        </>
      )}
      <p className="page__end">
        <Link to="/sign-in">Back to sign in</Link>
      </p>
    </div>
  );
}

interface LoginFormProps {
  ask: { mutate: (form: FormData) => void; error: Error | null; isPending: boolean };
}

function LoginForm({ ask }: LoginFormProps) {
  const { form, fields, failure } = useCheckedForm(ask);
  return (
    <form className="panel stack" {...form}>
      <FailureNote failure={failure} />
      <UsernameField name="login" label="Username or email" maxLength={254} error={fields.login} />
      <Button type="submit" size="md" loading={ask.isPending}>
        Send me a link
      </Button>
    </form>
  );
}

function Asked({ message, onAgain }: { message: string; onAgain: () => void }) {
  return (
    <div className="panel stack">
      <div role="status" className="stack stack--close">
        <h2>Look into your mail</h2>
        <p>{message}</p>
        <p>It works once, within an hour. If there is no mail, look among the unwanted ones.</p>
      </div>
      <Button variant="default" onClick={onAgain}>
        Ask again
      </Button>
    </div>
  );
}

function NoMail({ contact }: { contact: string | null }) {
  return (
    <div className="panel stack stack--close">
      <h2>This hub sends no mail</h2>
      <p>
        Its operator can give you a link to a new password
        {contact ? (
          <>
            : <a href={contact}>{contact.replace(/^mailto:/, "")}</a>
          </>
        ) : (
          "."
        )}
      </p>
      <p>If you have added a passkey or bound a wallet, you can sign in with it.</p>
    </div>
  );
}
