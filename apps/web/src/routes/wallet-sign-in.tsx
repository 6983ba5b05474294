import "../components/account/auth.css";
import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { createLazyRoute, Link, useRouter } from "@tanstack/react-router";
import {
  accountOf,
  useWalletProof,
  WalletProofFields,
} from "../components/account/wallet-proof.tsx";
import { FailureNote } from "../components/feedback/failure-note.tsx";
import { failureOf } from "../failures.ts";
import { submitWith } from "../form-data.ts";
import { hub } from "../hub.ts";
import { resetQueries } from "../queries.ts";

export const route = createLazyRoute("/sign-in/wallet")({ component: WalletSignInPage });

function WalletSignInPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const proof = useWalletProof();
  useDocumentTitle("Sign in with a wallet · Soul Hub");
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
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Sign in with your wallet</h1>
      <p className="page__lead">Works with a wallet that is bound to an account.</p>
      <form className="panel stack" onSubmit={submitWith(signIn.mutate)}>
        {failure && <FailureNote failure={failure} />}
        <WalletProofFields
          proof={proof}
          failure={failure}
          accountError={failure?.fields.account_id}
        />
        <Button type="submit" size="md" loading={signIn.isPending}>
          Sign in
        </Button>
      </form>
      <p className="auth-form__foot">
        <Link to="/sign-in" search={{ next }}>
          Sign in with your password
        </Link>
      </p>
    </div>
  );
}
