import type { Failure } from "../../failures.ts";
import type { Soul } from "../../queries.ts";
import { BlankSlate } from "../feedback/blank-slate.tsx";
import { FailureView } from "../feedback/failure-view.tsx";
import { TalkButton } from "../soul/talk-button.tsx";

/** Shown instead of a room that the hub refuses for good: the reason, and a link to a new room. */
export function ClosedRoom({ failure, soul }: { failure: Failure; soul: Soul }) {
  // Behind an NFT gate, the hub would also refuse a new room, so no link to one is shown.
  if (failure.code === "nft_required") return <FailureView failure={failure} />;
  return (
    <BlankSlate
      isPage
      title={failure.title}
      actions={
        <TalkButton soulId={soul.id} soulTitle={soul.title} label="Start a room of your own" />
      }
    >
      {failure.hint}
    </BlankSlate>
  );
}
