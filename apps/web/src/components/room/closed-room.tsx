import type { Failure } from "../../failures.ts";
import type { Soul } from "../../queries.ts";
import { BlankSlate } from "../blank-slate.tsx";
import { FailureView } from "../failure-view.tsx";
import { TalkButton } from "../talk-button.tsx";

/** The hub has shown us out for good: why, and a room of one's own instead. */
export function ClosedRoom({ failure, soul }: { failure: Failure; soul: Soul }) {
  // Behind the soul's gate a room of one's own is as closed as this one.
  if (failure.code === "nft_required") return <FailureView failure={failure} />;
  return (
    <BlankSlate
      isPage
      title={failure.title}
      ways={<TalkButton soulId={soul.id} soulTitle={soul.title} label="Start a room of your own" />}
    >
      {failure.hint}
    </BlankSlate>
  );
}
