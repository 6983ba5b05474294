import { Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { fullDate } from "../../clock.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { LoadMore } from "../feedback/load-more.tsx";
import { ownReports } from "./own-queries.ts";
import { nameOfTarget, reasonLabels } from "./words.ts";

const outcomes = {
  acted: "The staff have acted on it.",
  dismissed: "The staff saw no reason to act.",
  waiting: "The staff have not decided yet.",
};

/** Lists the member's own reports with their outcomes. */
export function OwnReports() {
  const list = useInfiniteQuery(ownReports);
  const { data, error } = list;
  if (error && !data) return <FailureNote error={error} />;
  if (!data) return <Skeleton height={80} radius="lg" />;
  if (data.length === 0) {
    return (
      <p className="muted">
        You have reported nothing. “Report” is at every soul, room, message and profile of others.
      </p>
    );
  }
  return (
    <>
      <ul className="panel divided">
        {data.map(({ id, target, reason, note, created_at, outcome }) => (
          <li key={id} className="stack stack--tight">
            <strong>{reasonLabels[reason]}</strong>
            <span>
              You reported <bdi>{nameOfTarget(target)}</bdi> on {fullDate(created_at)}.
            </span>
            {note && (
              <span className="muted" dir="auto">
                {note}
              </span>
            )}
            <span>{outcomes[outcome ?? "waiting"]}</span>
          </li>
        ))}
      </ul>
      {list.hasNextPage && <LoadMore list={list} />}
    </>
  );
}
