import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { hub } from "../../hub.ts";
import { dataQuery } from "../../queries.ts";
import { askWallet, type WalletPurpose } from "./wallet-request.ts";

/** The web wallets that the hub offers (0069). */
const webWallets = {
  ...dataQuery(["web-wallets"], (options) => hub.wallet.wallets.query(undefined, options)),
  staleTime: Number.POSITIVE_INFINITY,
};

interface WebWalletsProps {
  purpose: WalletPurpose;
  /** The form for a signature of another wallet. */
  children: ReactNode;
}

/** A button for each web wallet of the hub, and a folded form for all other wallets (0069). */
export function WebWallets({ purpose, children }: WebWalletsProps) {
  const { data: wallets, isPending } = useQuery(webWallets);
  return (
    <>
      {wallets?.map(({ name, url }) => (
        <Button key={url} size="md" onClick={() => askWallet(url, purpose)}>
          Open {name}
        </Button>
      ))}
      <details open={!isPending && !wallets?.length}>
        <summary>Paste a signature</summary>
        <p className="small">For hardware wallets and command-line keys.</p>
        {children}
      </details>
    </>
  );
}
