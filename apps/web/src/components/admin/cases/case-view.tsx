import "../../../error-messages/further-error-messages.ts";
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { fullTime } from "../../../clock.ts";
import { failureFor, failureOf } from "../../../failures.ts";
import { invalidate, type ModCase } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { QueryFailure } from "../../feedback/failure-view.tsx";
import { BackIcon } from "../../icons.tsx";
import { type CaseAction, possibleActions } from "../../keys/case-actions.ts";
import { nameOfTarget, reasonLabels } from "../../moderation/words.ts";
import { KeyHint, useAdminKeys } from "../admin-keys.tsx";
import { type CaseState, caseById } from "../admin-queries.ts";
import { ActDialog, type Draft } from "./act-dialog.tsx";
import { CaseExcerpt } from "./case-excerpt.tsx";
import { DecisionList } from "./decision-list.tsx";
import { lastOpened } from "./last-opened.ts";

/** Shows a case: the target, the reports, the decisions, and the possible actions. */
export function CaseView({ id, state }: { id: number; state: CaseState }) {
  const query = useQuery(caseById(id));
  const navigate = useNavigate();
  useEffect(() => lastOpened.set(id), [id]);
  const search = { state: state === "open" ? undefined : state };
  const back = () => void navigate({ to: "/admin", search });
  useAdminKeys({ Escape: back, b: back });
  return (
    <>
      <p className="page__back">
        <Link to="/admin" search={search}>
          <BackIcon size={16} /> All cases
        </Link>{" "}
        <KeyHint of="Esc" />
      </p>
      {query.isPending && <Skeleton height={260} radius="lg" />}
      {query.isLoadingError && <CaseFailure query={query} />}
      {query.data && <OpenedCase shown={query.data} onDone={back} />}
    </>
  );
}

/** A case that does not exist cannot be read again; the link to all cases is above. */
function CaseFailure({ query }: { query: { error: Error; refetch: () => unknown } }) {
  const failure = failureOf(query.error);
  if (failure.code === "case_not_found") return <FailureNote failure={failure} />;
  return <QueryFailure query={query} />;
}

function OpenedCase({ shown, onDone }: { shown: ModCase; onDone: () => void }) {
  const { id, target, reports, decisions, history, opened_at } = shown;
  const [chosen, setChosen] = useState<CaseAction>();
  const [hasChanged, setHasChanged] = useState(false);
  // The draft outlives a refused decision.
  const draft = useRef<Draft>({});
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const possible = possibleActions(shown);
  useAdminKeys(
    Object.fromEntries(possible.map((action) => [action.hotkey, () => setChosen(action)])),
  );
  const close = () => {
    setChosen(undefined);
    requestAnimationFrame(() => heading.current?.focus());
  };
  const readAgain = () => {
    close();
    setHasChanged(true);
    void invalidate(caseById(id).queryKey, ["cases"]);
  };
  const isAppealed = shown.state === "appealed";
  const verdicts = (
    <DecisionList title="Decisions" none="Nothing was decided yet." decisions={decisions} />
  );
  return (
    <article className="stack admin__case">
      <header>
        <h2 ref={heading} tabIndex={-1}>
          Case {id}: <bdi>{nameOfTarget(target)}</bdi>
        </h2>
        <p className="muted">
          Opened {fullTime(opened_at)}. <TargetLink target={target} />
        </p>
      </header>
      {hasChanged && <FailureNote failure={{ ...failureFor("case_changed"), recovery: "wait" }} />}
      <fieldset className="row" aria-label="Actions">
        {possible.map((action) => (
          <Button
            key={action.action}
            variant="default"
            size="sm"
            rightSection={<KeyHint of={action.hotkey} />}
            onClick={() => setChosen(action)}
          >
            {action.label}
          </Button>
        ))}
      </fieldset>
      {isAppealed && verdicts}
      <CaseExcerpt shown={shown} />
      <section className="panel stack stack--close" aria-labelledby="case-reports">
        <h3 id="case-reports">Reports</h3>
        {reports.length === 0 && <p className="muted">The staff opened this case.</p>}
        <ul className="divided">
          {reports.map((report) => (
            <li key={report.id}>
              <strong>{reasonLabels[report.reason]}</strong>
              {report.note && (
                <span className="long-text" dir="auto">
                  {report.note}
                </span>
              )}
              <span className="muted">
                <bdi>{report.reporter_name}</bdi>, {fullTime(report.created_at)}
              </span>
            </li>
          ))}
        </ul>
      </section>
      {!isAppealed && verdicts}
      {target.username !== null && (
        <DecisionList
          title={`Earlier decisions about ${target.username}`}
          none="There are none."
          decisions={history}
          currentCase={id}
        />
      )}
      {chosen && (
        <ActDialog
          shown={shown}
          chosen={chosen}
          draft={draft}
          onClose={close}
          onChanged={readAgain}
          onDone={onDone}
        />
      )}
    </article>
  );
}

function TargetLink({ target: { kind, soul_id, username } }: Pick<ModCase, "target">) {
  return (
    <>
      {kind !== "person" && soul_id !== null && (
        <Link to="/soul/$id" params={{ id: soul_id }}>
          Open the soul
        </Link>
      )}
      {kind !== "person" && soul_id !== null && username !== null && " · "}
      {username !== null && (
        <Link to="/u/$username" params={{ username }}>
          Profile of {username}
        </Link>
      )}
    </>
  );
}
