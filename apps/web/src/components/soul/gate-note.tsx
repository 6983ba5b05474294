import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { me, type Soul } from "../../queries.ts";
import { LockIcon } from "../icons.tsx";
import { SignInLink } from "../ui/sign-in-link.tsx";

/** Shown instead of a text that an NFT gate hides: the requirement, and the reader's next step. */
export function GateNote({ soul: { nft_contract } }: { soul: Soul }) {
  return (
    <div className="stack stack--close">
      <h2 className="row">
        <LockIcon size={20} /> For holders
      </h2>
      <p>
        Only holders of a token of the NEAR contract <strong>{nft_contract}</strong> can read, use
        or fork this soul. The token must be in a wallet that is bound to your account.
      </p>
      <p>
        <NextStep />
      </p>
    </div>
  );
}

function NextStep() {
  const { data: user } = useQuery(me);
  if (user === undefined) return null;
  if (user === null) {
    return (
      <>
        <SignInLink /> to the account with your wallet.
      </>
    );
  }
  if (user.wallet === null) {
    return (
      <>
        Your account has no wallet.{" "}
        <Link to="/settings/{-$group}" params={{ group: "security" }}>
          Bind one in your settings
        </Link>
        .
      </>
    );
  }
  return user.wallet_verified ? (
    <>
      Your wallet <strong>{user.wallet}</strong> holds no such token. Once it does, you can open
      this soul.
    </>
  ) : (
    <>
      Your wallet <strong>{user.wallet}</strong> is not verified on NEAR. If this hub is connected
      to NEAR, signing in with the wallet verifies it.
    </>
  );
}
