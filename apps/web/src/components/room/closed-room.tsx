import { useQuery } from "@tanstack/react-query";
import type { Failure } from "../../failures.ts";
import { me, type RoomSoul } from "../../queries.ts";
import { FailureView } from "../feedback/failure-view.tsx";
import { TalkButton } from "../soul/talk-button.tsx";
import { BlankSlate } from "../ui/blank-slate.tsx";
import { AccountButton } from "../ui/sign-in-link.tsx";
import { SignInWall } from "../ui/sign-in-wall.tsx";

/**
 * Shown instead of a room that the hub refuses for good: the reason, and a link to a new room. A
 * member who is signed out may be allowed to enter, so a guest can sign in.
 */
export function ClosedRoom({ failure, soul }: { failure: Failure; soul: RoomSoul }) {
  const { data: user } = useQuery(me);
  // Behind an NFT gate, the hub would also refuse a new room, so no link to one is shown.
  if (failure.code === "nft_required") return <FailureView failure={failure} />;
  // A hub without guests (0058). A member whose session has ended is a guest, too.
  if (failure.code === "unauthenticated") {
    return (
      <SignInWall title="Sign in to talk">
        On this hub, conversations need an account. You return to this room afterwards.
      </SignInWall>
    );
  }
  return (
    <BlankSlate
      isPage
      title={failure.title}
      actions={
        <>
          <TalkButton soulId={soul.id} soulTitle={soul.title} label="Start a room of your own" />
          {user === null && (
            <AccountButton to="/sign-in" variant="default">
              Sign in
            </AccountButton>
          )}
        </>
      }
    >
      {failure.hint}
    </BlankSlate>
  );
}
