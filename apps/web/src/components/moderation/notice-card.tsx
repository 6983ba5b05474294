import "./notices.css";
import { fullDate } from "../../clock.ts";
import type { Notice } from "../../queries.ts";
import { AppealState } from "./appeal-state.tsx";
import { nameOfTarget, noticeTitles, reasonLabels } from "./words.ts";

/** A decision of the staff about the member: what, why, until when, and the way to appeal. */
export function NoticeCard({ notice }: { notice: Notice }) {
  const { decision_id, action, reason, message, target, created_at, until } = notice;
  const isRestriction = action === "silence" || action === "suspend";
  return (
    <article
      className="panel notice"
      id={`notice-${decision_id}`}
      aria-labelledby={`notice-${decision_id}-title`}
    >
      <h3 id={`notice-${decision_id}-title`}>{noticeTitles[action]}</h3>
      <p className="muted">
        {fullDate(created_at)}, about <bdi>{nameOfTarget(target)}</bdi>.
        {action !== "restore" && ` Reason: ${reasonLabels[reason]}.`}
        {isRestriction && ` ${until ? `It ends on ${fullDate(until)}.` : "It has no end yet."}`}
      </p>
      <blockquote className="notice__message" dir="auto">
        {message}
      </blockquote>
      {action !== "restore" && <AppealState notice={notice} />}
    </article>
  );
}
