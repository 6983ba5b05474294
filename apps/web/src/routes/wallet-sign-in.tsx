import "../components/account/auth.css";
import "../error-messages/account-error-messages.ts";
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useRouter } from "@tanstack/react-router";
import { SignedInAlready } from "../components/account/signed-in-already.tsx";
import {
  accountOf,
  useWalletProof,
  WalletProofFields,
} from "../components/account/wallet-proof.tsx";
import { WebWallets } from "../components/account/web-wallets.tsx";
import { FailureNote } from "../components/feedback/failure-note.tsx";
import { useCheckedForm } from "../components/feedback/use-checked-form.ts";
import { usePageTitle } from "../components/ui/page-title.ts";
import { failureOf } from "../failures.ts";
import { hub } from "../hub.ts";
import { me, resetQueries } from "../queries.ts";

export const route = createLazyRoute("/sign-in/wallet")({ component: WalletSignInPage });

function WalletSignInPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const { data: user } = useQuery(me);
  const proof = useWalletProof();
  usePageTitle("Sign in with a wallet · Soul Hub");
  const signIn = useMutation({
    mutationFn: (form: FormData) =>
      hub.wallet.login.mutate({ account_id: accountOf(form), ...proof.read(form) }),
    onSuccess: async () => {
      await resetQueries();
      router.history.push(next ?? "/");
    },
    onError: proof.renew,
  });
  const failure = signIn.error ? failureOf(signIn.error) : undefined;
  const { form, problems } = useCheckedForm(signIn);
  // While the form signs in, the page that opens next replaces it.
  if (user && signIn.isIdle) return <SignedInAlready username={user.username} next={next} />;
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Sign in with your wallet</h1>
      <p className="page__lead">Works with a wallet that is bound to an account.</p>
      <div className="panel stack">
        <WebWallets purpose={{ kind: "sign-in", next }}>
          <form className="stack" {...form}>
            {failure && <FailureNote failure={failure} />}
            <WalletProofFields
              proof={proof}
              errors={{ ...failure?.fields, account: failure?.fields.account_id, ...problems }}
            />
            <Button type="submit" variant="default" loading={signIn.isPending}>
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
