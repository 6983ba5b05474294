import "../components/auth.css";
import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { createLazyRoute, Link, useRouter } from "@tanstack/react-router";
import { FailureNote } from "../components/failure-note.tsx";
import { accountOf, useWalletProof, WalletProofFields } from "../components/wallet-proof.tsx";
import { failureOf } from "../failures.ts";
import { hub } from "../hub.ts";
import { forgetEverything } from "../queries.ts";

export const route = createLazyRoute("/sign-in/wallet")({ component: WalletSignInPage });

function WalletSignInPage() {
  const { next = "/" } = route.useSearch();
  const router = useRouter();
  const proof = useWalletProof();
  useDocumentTitle("Sign in with a wallet · Soul Hub");
  const signIn = useMutation({
    mutationFn: (form: FormData) =>
      hub.wallet.login.mutate({
        account_id: accountOf(form),
        ...proof.read(form),
      }),
    onSuccess: async () => {
      await forgetEverything();
      router.history.push(next);
    },
    onError: proof.renew,
  });
  const failure = signIn.error ? failureOf(signIn.error) : undefined;
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Sign in with your wallet</h1>
      <p className="page__lead">For a wallet that you have bound to your account before.</p>
      <form
        className="panel auth-form"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate(new FormData(event.currentTarget));
        }}
      >
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
        <Link to="/sign-in" search={next === "/" ? {} : { next }}>
          Sign in with your password
        </Link>
      </p>
    </div>
  );
}
