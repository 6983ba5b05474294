import type { Failure } from "../../failures.ts";
import type { Soul } from "../../queries.ts";
import { BlankSlate } from "../blank-slate.tsx";
import { TalkButton } from "../talk-button.tsx";

/** The hub has shown us out for good: why, and a room of one's own instead. */
export function ClosedRoom({ failure, soul }: { failure: Failure; soul: Soul }) {
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
