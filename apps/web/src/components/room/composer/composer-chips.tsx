import type { ReactNode } from "react";
import { exactCount } from "../../../counts.ts";
import { CrossIcon } from "../../icons.tsx";
import { messageCount, resetTime } from "../quota-messages.ts";
import { useRoomContext } from "../room-context.ts";
import type { NextMessage } from "./use-next-message.ts";

/** Share of the character limit from which the composer shows the number of characters. */
const COUNT_FROM = 0.7;
/** Number of remaining messages from which the composer shows the quota. */
const FEW = 3;

/** The options of the next message that are on, and a hint where the reader needs one. */
export function ComposerChips({ next }: { next: NextMessage }) {
  const { draft, setDraft, isPrivate, wantsPrivate, setWantsPrivate, input } = useRoomContext();
  const { kind } = draft;
  const hint = useHint(next);
  const off = (take: () => void) => () => {
    take();
    input.current?.focus();
  };
  const chips = [
    next.deepThink && { name: "Deep think", take: () => next.setDeepThink(false) },
    wantsPrivate &&
      !isPrivate && { name: "Private from now on", take: () => setWantsPrivate(false) },
    kind === "remark" && { name: "No reply", take: () => setDraft({ kind: "question" }) },
    kind === "off-record" && { name: "Off the record", take: () => setDraft({ kind: "question" }) },
  ].filter((chip) => chip !== false);
  if (chips.length === 0 && hint === undefined) return null;
  return (
    <div className="row small composer__chips">
      {chips.map(({ name, take }) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-label={`${name}: turn off`}
          onClick={off(take)}
        >
          {name} <CrossIcon size={14} />
        </button>
      ))}
      <span id="composer-hint" className="composer__hint" data-wrong={next.isTooLong}>
        {hint}
      </span>
    </div>
  );
}

/** What the next message costs, or what stops it; undefined if there is nothing to say. */
function useHint({ characters, max, units, asked, isUsedUp }: NextMessage): ReactNode {
  const { left, draft, room } = useRoomContext();
  const { kind, text } = draft;
  if (characters > max * COUNT_FROM) {
    return `${exactCount(characters)} of ${exactCount(max)} characters`;
  }
  if (kind === "off-record") return "People here read it, a soul never does. Costs nothing.";
  if (kind === "remark") return "A soul reads it later. Costs nothing.";
  if (asked === 0) {
    return text && room.room ? "No soul is mentioned. Costs nothing." : undefined;
  }
  if (!left) return undefined;
  const { daily_remaining } = left;
  if (isUsedUp) return `No messages left today. New ones at ${resetTime(left)}.`;
  if (units > 1) return `Uses ${units} of ${messageCount(daily_remaining)} left today`;
  return daily_remaining <= FEW ? `${messageCount(daily_remaining)} left today` : undefined;
}
