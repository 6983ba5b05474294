import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { type Me, me } from "../../queries.ts";
import { FailureNote } from "../failure-note.tsx";
import { toast } from "../toasts.tsx";
import { accountOf, useWalletProof, WalletProofFields } from "../wallet-proof.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function WalletSection({ user }: { user: Me }) {
  return (
    <SettingsSection title="Wallet">
      {user.wallet ? <BoundWallet user={user} /> : <BindWallet />}
    </SettingsSection>
  );
}

function BoundWallet({ user: { wallet, wallet_verified } }: { user: Me }) {
  return (
    <>
      <p>
        <strong className="settings__wallet">{wallet}</strong> is bound to this account, for good.
        You can sign in with it.
      </p>
      <p>
        {wallet_verified
          ? "It is checked on the chain: it opens souls that ask for a token you own."
          : "It is known by its key alone: this hub does not ask the chain, so it opens no gated souls."}
      </p>
    </>
  );
}

function BindWallet() {
  const cache = useQueryClient();
  const proof = useWalletProof();
  const bind = useMutation({
    mutationFn: (form: FormData) =>
      hub.wallet.bind.mutate({
        action: "bind",
        wallet: accountOf(form),
        ...proof.read(form),
      }),
    onSuccess: async ({ message }) => {
      await cache.invalidateQueries({ queryKey: me.queryKey });
      // Souls behind an NFT gate may be open now.
      await cache.invalidateQueries({ queryKey: ["soul"] });
      void toast({ message });
    },
    onError: proof.renew,
  });
  const failure = bind.error ? failureOf(bind.error) : undefined;
  return (
    <>
      <p>
        Bind a NEAR account to sign in with it, and to open souls that ask for a token. It stays
        bound for good, so choose the right one.
      </p>
      <form
        className="settings__form"
        onSubmit={(event) => {
          event.preventDefault();
          bind.mutate(new FormData(event.currentTarget));
        }}
      >
        <WalletProofFields proof={proof} failure={failure} accountError={failure?.fields.wallet} />
        {failure && <FailureNote failure={failure} />}
        <Button type="submit" variant="default" loading={bind.isPending}>
          Bind this wallet
        </Button>
      </form>
    </>
  );
}
