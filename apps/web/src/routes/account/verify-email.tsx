import "../../error-messages/further-error-messages.ts";
import "../../components/account/auth.css";
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { isUselessLink, useLinkToken, useMailedLink } from "../../components/account/link-token.ts";
import { FailureNote } from "../../components/feedback/failure-note.tsx";
import { QueryFailure } from "../../components/feedback/failure-view.tsx";
import { PagePending } from "../../components/feedback/page-pending.tsx";
import { LinkButton } from "../../components/ui/link-button.tsx";
import { usePageTitle } from "../../components/ui/page-title.ts";
import { failureFor } from "../../failures.ts";
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

/** What the button does to the address, and its further effect. */
const deeds = {
  "verify-email": ["Verify", ""],
  "change-email": ["Change my address to", ""],
  "restore-email": ["Change my address back to", " It signs out every browser."],
  "reset-password": ["", ""],
};

function MailedLink({ token }: { token: string }) {
  const { data: user } = useQuery(me);
  const use = useMutation({
    mutationFn: () => hub.accounts.verifyEmail.mutate({ token }),
    // A change that is taken back also ends the session of this browser.
    onSuccess: resetQueries,
  });
  const link = useMailedLink(token, false);
  const isUseless = link.isUseless || isUselessLink(use.error);
  if (!link.data && !isUseless && !use.isSuccess) {
    return link.error ? <QueryFailure query={link} /> : <PagePending />;
  }
  const [verb, effect] = deeds[link.data?.purpose ?? "verify-email"];
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
            This link is for the account <strong>{link.data?.username}</strong>. Without the button,
            nothing changes.{effect}
          </p>
          <div className="stack">
            <FailureNote error={use.error} />
            <div>
              <Button
                size="md"
                h="auto"
                py="xs"
                styles={{
                  label: { whiteSpace: "normal", overflowWrap: "anywhere", lineHeight: 1.4 },
                }}
                loading={use.isPending}
                onClick={() => use.mutate()}
              >
                {verb} {link.data?.email}
              </Button>
            </div>
          </div>
        </>
      )}
    </div>
  );
}
