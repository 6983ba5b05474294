import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { fullTime } from "../../../clock.ts";
import type { ModDecision } from "../../../queries.ts";
import { labelOf } from "../../keys/case-actions.ts";
import { reasonLabels } from "../../moderation/words.ts";

interface DecisionListProps {
  title: string;
  /** Shown for an empty list. */
  none: string;
  decisions: readonly ModDecision[];
  /** The open case, where the list is about others. */
  currentCase?: number;
}

const outcomes = { upheld: "kept", restored: "taken back" } as const;

/** Decisions with their appeals, newest first. */
export function DecisionList({ title, none, decisions, currentCase }: DecisionListProps) {
  const id = useId();
  return (
    <section className="panel stack stack--close" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {decisions.length === 0 && <p className="muted">{none}</p>}
      <ul className="divided">
        {decisions.map(({ appeal, ...decision }) => (
          <li key={decision.id}>
            <strong>
              {labelOf(decision.action)}
              {decision.action !== "dismiss" && `: ${reasonLabels[decision.reason]}`}
            </strong>
            {decision.message && (
              <span className="long-text" dir="auto">
                {decision.message}
              </span>
            )}
            <span className="muted">
              <bdi>{decision.decided_by}</bdi>, {fullTime(decision.created_at)}
              {decision.until && `, until ${fullTime(decision.until)}`}
              {decision.undone_at && `, taken back ${fullTime(decision.undone_at)}`}
              {currentCase !== undefined && (
                <>
                  {", "}
                  <Link to="/admin" search={{ case: decision.case_id }}>
                    case {decision.case_id}
                  </Link>
                </>
              )}
            </span>
            {appeal && (
              <div className="note" data-tone={appeal.outcome === null ? "warn" : "plain"}>
                <div className="stack stack--tight">
                  <strong>
                    Appeal{appeal.outcome ? `, ${outcomes[appeal.outcome]}` : " to decide"}
                  </strong>
                  <span className="long-text" dir="auto">
                    {appeal.text}
                  </span>
                </div>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
