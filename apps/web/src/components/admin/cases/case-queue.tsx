import { Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { fromNow } from "../../../clock.ts";
import { QueryFailure } from "../../feedback/failure-view.tsx";
import { LoadMore } from "../../feedback/load-more.tsx";
import { nameOfTarget, reasonLabels } from "../../moderation/words.ts";
import { KeyHint, useAdminKeys } from "../admin-keys.tsx";
import { type CaseState, caseList } from "../admin-queries.ts";
import { lastOpened } from "./last-opened.ts";
import { OpenCaseForm } from "./open-case-form.tsx";

const states = { open: "Open", appealed: "Appealed", closed: "Closed" } as const;

const linksIn = (list: HTMLElement | null) => [...(list?.querySelectorAll("a") ?? [])];

const empty: Readonly<Record<CaseState, string>> = {
  open: "Nothing waits for you.",
  appealed: "No appeal waits for you.",
  closed: "No case has been decided yet.",
};

/** The cases of one state. The queue can be worked through with the keyboard alone. */
export function CaseQueue({ state }: { state: CaseState }) {
  const list = useInfiniteQuery(caseList(state));
  const rows = useRef<HTMLUListElement>(null);
  const move = (step: number) => () => {
    const all = linksIn(rows.current);
    const at = all.indexOf(document.activeElement as HTMLAnchorElement);
    all[at < 0 ? 0 : at + step]?.focus();
  };
  const field = useRef<HTMLInputElement>(null);
  const [next, previous] = [move(1), move(-1)];
  useAdminKeys({
    j: next,
    ArrowDown: next,
    k: previous,
    ArrowUp: previous,
    n: () => field.current?.focus(),
  });
  // After a decision, the next case has the focus.
  const hasRows = (list.data?.pages[0]?.count ?? 0) > 0;
  useEffect(() => {
    const opened = lastOpened.take();
    if (opened === undefined || !hasRows) return;
    const all = linksIn(rows.current);
    (all.find(({ dataset }) => Number(dataset.case) >= opened) ?? all[0])?.focus();
  }, [hasRows]);
  const cases = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <nav className="row" aria-label="Cases">
        {Object.entries(states).map(([key, name]) => (
          <Link
            key={key}
            to="/admin"
            search={key === "open" ? {} : { state: key as "appealed" | "closed" }}
            className="chip"
            data-chosen={state === key}
          >
            {name}
          </Link>
        ))}
        <span className="admin__hints muted">
          <KeyHint of="j" /> <KeyHint of="k" /> move, <KeyHint of="Enter" /> opens,{" "}
          <KeyHint of="n" /> new case
        </span>
      </nav>
      {list.isPending && <Skeleton height={180} radius="lg" />}
      {list.isLoadingError && <QueryFailure query={list} />}
      {list.data && cases.length === 0 && <p className="panel muted">{empty[state]}</p>}
      {cases.length > 0 && (
        <ul ref={rows} className="stack stack--close" aria-label={`${states[state]} cases`}>
          {cases.map(({ id, target, reports, reasons, opened_at }) => (
            <li key={id}>
              <Link
                to="/admin"
                search={{ state: state === "open" ? undefined : state, case: id }}
                className="item item--choice item--framed admin__row"
                data-case={id}
              >
                <bdi>{nameOfTarget(target)}</bdi>
                <span className="muted">{fromNow(opened_at)}</span>
                <span className="muted">
                  {reports === 1 ? "1 report" : `${reports} reports`}
                  {reasons.length > 0 && `: ${reasons.map((one) => reasonLabels[one]).join(", ")}`}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {list.hasNextPage && <LoadMore list={list} />}
      <OpenCaseForm field={field} />
    </>
  );
}
