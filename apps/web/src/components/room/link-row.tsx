import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { CopyableCode } from "../feedback/copyable-code.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SmallButton } from "../ui/small-button.tsx";

interface LinkRowProps {
  url: string;
  /** What the link leads to, above its dates. */
  about?: ReactNode;
  /** The number of its uses or its dates. */
  facts: ReactNode;
  /** The button that ends the link: its text, its colour and its name. */
  end: { verb: string; c?: string; "aria-label"?: string; run: () => Promise<unknown> };
  /** Called after each attempt, since the link may have ended elsewhere. */
  onEnded: () => unknown;
}

/** A link into the room, to copy, with a button that ends it. */
export function LinkRow({ url, about, facts, end, onEnded }: LinkRowProps) {
  const { verb, run, ...shown } = end;
  const call = useMutation({ mutationFn: run, onSettled: onEnded });
  return (
    <li>
      <div className="stack stack--close">
        <CopyableCode text={url} />
        {about}
        <div className="row row--apart">
          <p className="muted">{facts}</p>
          <SmallButton size="compact-md" call={call} {...shown}>
            {verb}
          </SmallButton>
        </div>
        <FailureNote error={call.error} />
      </div>
    </li>
  );
}
