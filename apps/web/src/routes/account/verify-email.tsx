import "../../error-messages/further-error-messages.ts";
import "../../components/account/auth.css";
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { useLinkToken } from "../../components/account/link-token.ts";
import { FailureNote } from "../../components/feedback/failure-note.tsx";
import { LinkButton } from "../../components/ui/link-button.tsx";
import { usePageTitle } from "../../components/ui/page-title.ts";
import { failureFor, failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { me, resetQueries } from "../../queries.ts";

export const route = createLazyRoute("/verify-email")({ component: VerifyEmailPage });

/**
 * The page of the links that verify an address, change it, and take a change back (0059). Programs
 * that check mails open links, so only the button uses the link.
 */
function VerifyEmailPage() {
  const token = useLinkToken();
  usePageTitle("Your email address · Soul Hub");
  // Another link that opens in the same tab begins again.
  return <MailedLink key={token} token={token} />;
}

function MailedLink({ token }: { token: string }) {
  const { data: user } = useQuery(me);
  const use = useMutation({
    mutationFn: () => hub.accounts.verifyEmail.mutate({ token }),
    // A change that is taken back also ends the session of this browser.
    onSuccess: resetQueries,
  });
  const failure = use.error ? failureOf(use.error) : undefined;
  const isUseless = token === "" || failure?.code === "token_invalid" || failure?.fields.token;
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Your email address</h1>
      {use.isSuccess ? (
        <>
          <p className="page__lead" role="status">
            {use.data.message}
          </p>
          <div className="row">
            {user ? (
              <LinkButton to="/" size="md">
                Continue
              </LinkButton>
            ) : (
              <>
                <LinkButton to="/sign-in" size="md">
                  Sign in
                </LinkButton>
                <LinkButton to="/forgot-password" size="md" variant="default">
                  Set a new password
                </LinkButton>
              </>
            )}
          </div>
        </>
      ) : isUseless ? (
        <div className="stack">
          <FailureNote failure={failureFor("token_invalid")} />
          <div>
            <LinkButton
              to="/settings/{-$group}"
              params={{ group: "account" }}
              size="md"
              variant="default"
            >
              Open settings
            </LinkButton>
          </div>
        </div>
      ) : (
        <>
          <p className="page__lead">
            The button does what the mail says. Without it, nothing changes.
          </p>
          <div className="stack">
            <FailureNote failure={failure} />
            <div>
              <Button size="md" loading={use.isPending} onClick={() => use.mutate()}>
                Confirm
              </Button>
            </div>
          </div>
        </>
      )}
    </div>
  );
}
