import type { ReactNode } from "react";
import { ask } from "../feedback/confirm.tsx";
import { CopyField } from "../feedback/copy-field.tsx";
import { SmallButton } from "../ui/small-button.tsx";

interface LinkRowProps {
  url: string;
  /** What the link leads to, above its dates. */
  about?: ReactNode;
  /** The number of its uses or its dates. */
  facts: ReactNode;
  /** The button that ends the link: its text, what follows, its colour and its name. */
  end: {
    verb: string;
    body: string;
    c?: string;
    "aria-label"?: string;
    run: () => Promise<unknown>;
  };
  /** Called after each attempt, since the link may have ended elsewhere. */
  onEnded: () => unknown;
}

/** A link into the room, to copy, with a button that ends it. */
export function LinkRow({ url, about, facts, end, onEnded }: LinkRowProps) {
  const { verb, body, run, ...shown } = end;
  const confirm = () =>
    ask({ title: `${verb} this link?`, body, verb, run: () => run().finally(onEnded) });
  return (
    <li>
      <div className="stack stack--close">
        <CopyField text={url} />
        {about}
        <div className="row row--apart">
          <p className="muted">{facts}</p>
          <SmallButton size="compact-md" onClick={confirm} {...shown}>
            {verb}
          </SmallButton>
        </div>
      </div>
    </li>
  );
}
