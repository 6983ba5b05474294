import "../components/account/auth.css";
import { useMutation } from "@tanstack/react-query";
import { createLazyRoute, Link, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useAfterSignIn } from "../components/account/after-sign-in.tsx";
import { takeWalletAnswer, unasked, walletPurpose } from "../components/account/wallet-request.ts";
import { FailureNote } from "../components/feedback/failure-note.tsx";
import { PagePending } from "../components/feedback/page-pending.tsx";
import { toast } from "../components/feedback/toasts.tsx";
import { usePageTitle } from "../components/ui/page-title.ts";
import { hub } from "../hub.ts";
import { invalidate, me, queryClient } from "../queries.ts";

export const route = createLazyRoute("/wallet")({ component: WalletAnswerPage });

/** The page to which a web wallet comes back. It signs in or binds, as this tab has asked (0069). */
function WalletAnswerPage() {
  const router = useRouter();
  const [purpose] = useState(walletPurpose);
  const { onSignedIn, question } = useAfterSignIn(
    purpose?.kind === "sign-in" ? purpose.next : undefined,
  );
  usePageTitle("Your wallet · Soul Hub");
  const { mutate, error } = useMutation({
    mutationFn: sendAnswer,
    onSuccess: (signedIn) =>
      signedIn ? onSignedIn(signedIn) : router.history.replace("/settings/security"),
  });
  const isSent = useRef(false);
  useEffect(() => {
    // In development React runs each effect twice, but an answer can be taken once.
    if (isSent.current) return;
    isSent.current = true;
    mutate();
  }, [mutate]);
  if (question) return question;
  if (!error) return <PagePending />;
  return (
    <div className="page page--narrow">
      <h1 className="page__title">Your wallet</h1>
      <FailureNote error={error} />
      <p className="page__end">
        {purpose?.kind === "bind" ? (
          <Link to="/settings/{-$group}" params={{ group: "security" }}>
            Back to your settings
          </Link>
        ) : (
          <Link to="/sign-in/wallet" search={{ next: purpose?.next }}>
            Back to the wallets
          </Link>
        )}
      </p>
    </div>
  );
}

/** Sends the wallet's answer to the hub. Returns the hub's answer to a sign-in. */
async function sendAnswer() {
  const { purpose, wallet, proof } = takeWalletAnswer();
  if (purpose.kind === "sign-in") {
    return hub.wallet.login.mutate({ account_id: wallet, ...proof });
  }
  // Another tab may have signed in to another account meanwhile, and a binding is permanent.
  const user = await queryClient.fetchQuery({ ...me, staleTime: 0 });
  if (user?.username !== purpose.username) throw unasked();
  const { message } = await hub.wallet.bind.mutate({ action: "bind", wallet, ...proof });
  await invalidate(me.queryKey, ["soul"]);
  void toast({ message });
  return undefined;
}
