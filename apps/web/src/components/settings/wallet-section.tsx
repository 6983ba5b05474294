import { Button } from "@mantine/core";
import { hub } from "../../hub.ts";
import { type Me, me } from "../../queries.ts";
import { accountOf, useWalletProof, WalletProofFields } from "../account/wallet-proof.tsx";
import { WebWallets } from "../account/web-wallets.tsx";
import { afterChange } from "../feedback/after-change.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
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
  const { form, fields, failure, isPending } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.wallet.bind.mutate({ action: "bind", wallet: accountOf(form), ...proof.read(form) }),
    // Souls behind an NFT gate are fetched again: the new wallet may make them readable.
    onSuccess: afterChange([me.queryKey, ["soul"]]),
    onError: proof.renew,
  });
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
              errors={{ ...fields, account: fields.account ?? fields.wallet }}
            />
            <FailureNote failure={failure} />
            <Button type="submit" variant="default" loading={isPending}>
              Bind this wallet
            </Button>
          </form>
        </WebWallets>
      </div>
    </>
  );
}
