import "../../error-messages/further-error-messages.ts";
import "../../components/account/auth.css";
import { Button, Checkbox } from "@mantine/core";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { isUselessLink, useLinkToken, useMailedLink } from "../../components/account/link-token.ts";
import { NewPasswordField } from "../../components/account/new-password-field.tsx";
import { FailureNote } from "../../components/feedback/failure-note.tsx";
import { QueryFailure } from "../../components/feedback/failure-view.tsx";
import { PagePending } from "../../components/feedback/page-pending.tsx";
import { useFormMutation } from "../../components/feedback/use-checked-form.ts";
import { LinkButton } from "../../components/ui/link-button.tsx";
import { usePageTitle } from "../../components/ui/page-title.ts";
import { failureFor } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { resetQueries } from "../../queries.ts";

export const route = createLazyRoute("/reset-password")({ component: ResetPasswordPage });

/** The page of a link to a new password (0059). Opening it changes nothing. */
function ResetPasswordPage() {
  const token = useLinkToken();
  usePageTitle("Set a new password · Soul Hub");
  // Another link that opens in the same tab begins again.
  return <NewPassword key={token} token={token} />;
}

function NewPassword({ token }: { token: string }) {
  const { form, fields, failure, error, isPending, data } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.accounts.resetPassword.mutate({
        token,
        new_password: String(form.get("new")),
        revoke_keys: form.has("revoke_keys"),
      }),
    // The session of this browser, if it had one, has ended.
    onSuccess: resetQueries,
  });
  const link = useMailedLink(token, true);
  const isUseless = link.isUseless || isUselessLink(error);
  if (data) {
    return (
      <div className="page page--narrow">
        <h1 className="page__title">Your password is changed</h1>
        <p className="page__lead" role="status">
          {data.message}
        </p>
        <LinkButton to="/sign-in" size="md">
          Sign in
        </LinkButton>
      </div>
    );
  }
  if (!link.data && !isUseless) {
    return link.error ? <QueryFailure query={link} /> : <PagePending />;
  }
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Set a new password</h1>
      {isUseless ? (
        <>
          <FailureNote failure={failureFor("token_invalid")} />
          <p className="page__end">
            <Link to="/forgot-password">Ask for a new link</Link>
          </p>
        </>
      ) : (
        <>
          <p className="page__lead">
            For the account <strong>{link.data?.username}</strong>. It signs you out of every
            browser.
          </p>
          <form className="panel stack" {...form}>
            <FailureNote failure={failure} />
            <NewPasswordField
              name="new"
              label="New password"
              description="At least 8 characters. A few unrelated words make a good one."
              minLength={8}
              error={fields.new ?? fields.new_password}
            />
            <Checkbox
              name="revoke_keys"
              defaultChecked
              label="Also replace my keys"
              description="Somebody else may know them. Your scripts and apps then need new ones."
            />
            <Button type="submit" size="md" loading={isPending}>
              Set the password
            </Button>
          </form>
        </>
      )}
    </div>
  );
}
