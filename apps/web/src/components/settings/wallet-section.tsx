import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { invalidate, type Me, me } from "../../queries.ts";
import { accountOf, useWalletProof, WalletProofFields } from "../account/wallet-proof.tsx";
import { WebWallets } from "../account/web-wallets.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { useCheckedForm } from "../feedback/use-checked-form.ts";
import { SettingsSection } from "../ui/settings-section.tsx";

export function WalletSection({ user }: { user: Me }) {
  return (
    <SettingsSection title="Wallet">
      {user.wallet ? <BoundWallet user={user} /> : <BindWallet username={user.username} />}
    </SettingsSection>
  );
}

function BoundWallet({ user: { wallet, wallet_verified } }: { user: Me }) {
  return (
    <>
      <p>
        <strong>{wallet}</strong> is permanently bound to this account. You can sign in with it.
      </p>
      <p>
        {wallet_verified
          ? "It is verified on NEAR, so it opens souls that require a token it holds."
          : "It is not verified on NEAR, so it opens no souls that require a token."}
      </p>
    </>
  );
}

function BindWallet({ username }: { username: string }) {
  const proof = useWalletProof();
  const bind = useMutation({
    mutationFn: (form: FormData) =>
      hub.wallet.bind.mutate({ action: "bind", wallet: accountOf(form), ...proof.read(form) }),
    onSuccess: async ({ message }) => {
      // Souls behind an NFT gate are fetched again: the new wallet may make them readable.
      await invalidate(me.queryKey, ["soul"]);
      void toast({ message });
    },
    onError: proof.renew,
  });
  const failure = bind.error ? failureOf(bind.error) : undefined;
  const { form, problems } = useCheckedForm(bind);
  return (
    <>
      <p>
        Bind a NEAR account to sign in with it and to open souls that require a token. The binding
        is permanent.
      </p>
      <div className="stack stack--form">
        <WebWallets purpose={{ kind: "bind", username }}>
          <form className="stack stack--form" {...form}>
            <WalletProofFields
              proof={proof}
              errors={{ ...failure?.fields, account: failure?.fields.wallet, ...problems }}
            />
            {failure && <FailureNote failure={failure} />}
            <Button type="submit" variant="default" loading={bind.isPending}>
              Bind this wallet
            </Button>
          </form>
        </WebWallets>
      </div>
    </>
  );
}
