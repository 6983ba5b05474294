import "../components/account/auth.css";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useAfterSignIn } from "../components/account/after-sign-in.tsx";
import { SignedInAlready } from "../components/account/signed-in-already.tsx";
import {
  accountOf,
  useWalletProof,
  WalletProofFields,
} from "../components/account/wallet-proof.tsx";
import { WebWallets } from "../components/account/web-wallets.tsx";
import { FailureNote } from "../components/feedback/failure-note.tsx";
import { useFormMutation } from "../components/feedback/use-checked-form.ts";
import { usePageTitle } from "../components/ui/page-title.ts";
import { hub } from "../hub.ts";
import { me } from "../queries.ts";

export const route = createLazyRoute("/sign-in/wallet")({ component: WalletSignInPage });

function WalletSignInPage() {
  const { next } = route.useSearch();
  const { data: user } = useQuery(me);
  const { onSignedIn, question, isSignedIn } = useAfterSignIn(next);
  const proof = useWalletProof();
  usePageTitle("Sign in with a wallet · Soul Hub");
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.wallet.login.mutate({ account_id: accountOf(form), ...proof.read(form) }),
    onSuccess: (answer) => onSignedIn(answer),
    onError: proof.renew,
  });
  if (question) return question;
  // While the form signs in, the page that opens next replaces it.
  if (user && !isSignedIn) return <SignedInAlready username={user.username} next={next} />;
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Sign in with your wallet</h1>
      <p className="page__lead">Works with a wallet that is bound to an account.</p>
      <div className="panel stack">
        <WebWallets purpose={{ kind: "sign-in", next }}>
          <form className="stack" {...form}>
            <FailureNote failure={failure} />
            <WalletProofFields
              proof={proof}
              errors={{ ...fields, account: fields.account ?? fields.account_id }}
            />
            <Button type="submit" variant="default" loading={isPending}>
              Sign in
            </Button>
          </form>
        </WebWallets>
      </div>
      <p className="page__end">
        <Link to="/sign-in" search={{ next }}>
          Sign in with your password
        </Link>
      </p>
    </div>
  );
}
