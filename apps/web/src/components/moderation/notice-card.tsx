import type { ReactNode } from "react";
import { fullDate } from "../../clock.ts";
import type { Notice } from "../../queries.ts";
import { AppealState } from "./appeal-state.tsx";
import { noticeTitles, ownTarget, reasonLabels } from "./words.ts";

interface NoticeCardProps {
  notice: Notice;
  /** Shown below the title. */
  children?: ReactNode;
}

/** A decision of the staff about the member: action, reason, end, and the way to appeal. */
export function NoticeCard({ notice, children }: NoticeCardProps) {
  const { decision_id, action, reason, message, target, created_at, until } = notice;
  const isRestriction = action === "silence" || action === "suspend";
  return (
    <article
      className="panel stack stack--close"
      id={`notice-${decision_id}`}
      aria-labelledby={`notice-${decision_id}-title`}
    >
      <h3 id={`notice-${decision_id}-title`}>{noticeTitles[action]}</h3>
      {children}
      <p className="muted">
        {fullDate(created_at)}, about <bdi>{ownTarget(target)}</bdi>.
        {action !== "restore" && ` Reason: ${reasonLabels[reason]}.`}
        {isRestriction && ` ${until ? `It ends on ${fullDate(until)}.` : "It has no end yet."}`}
      </p>
      <blockquote className="quote long-text" dir="auto">
        {message}
      </blockquote>
      {action !== "restore" && <AppealState notice={notice} />}
    </article>
  );
}
