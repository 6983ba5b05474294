import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { me, type Soul } from "../../queries.ts";
import { LockIcon } from "../icons.tsx";

/** In the place of a text that an NFT gate hides: what it asks for, and what this reader lacks. */
export function GateNote({ soul: { nft_contract } }: { soul: Soul }) {
  return (
    <div className="gate-note">
      <h2>
        <LockIcon size={20} /> For holders
      </h2>
      <p>
        To read this soul, talk to it or fork it you need a token of the NFT contract{" "}
        <strong>{nft_contract}</strong> on NEAR, in a wallet that is bound to your account.
      </p>
      <p>
        <NextStep />
      </p>
    </div>
  );
}

function NextStep() {
  const { data: user } = useQuery(me);
  const next = useRouterState({ select: ({ location }) => location.href });
  if (user === undefined) return null;
  if (user === null) {
    return (
      <>
        <Link to="/sign-in" search={{ next }}>
          Sign in
        </Link>{" "}
        to the account that your wallet is bound to.
      </>
    );
  }
  if (user.wallet === null) {
    return (
      <>
        You have no wallet here yet. <Link to="/settings">Bind it in your settings</Link>.
      </>
    );
  }
  return user.wallet_verified ? (
    <>
      Your wallet <strong>{user.wallet}</strong> owns none. Once it does, this page opens.
    </>
  ) : (
    <>
      Your wallet <strong>{user.wallet}</strong> has not been confirmed by the chain, so it opens
      nothing yet. Where this hub asks the chain, signing in with the wallet confirms it.
    </>
  );
}
