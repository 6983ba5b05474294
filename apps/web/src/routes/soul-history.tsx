import "./soul-history.css";
import { Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { BlankSlate } from "../components/blank-slate.tsx";
import { FailureView } from "../components/failure-view.tsx";
import { SoulComparison } from "../components/history/soul-comparison.tsx";
import { StateChoice } from "../components/history/state-choice.tsx";
import { StateList } from "../components/history/state-list.tsx";
import { BackIcon } from "../components/icons.tsx";
import { failureFor, failureOf } from "../failures.ts";
import { me, type Soul, type SoulVersion, soulById, versionsOf } from "../queries.ts";
import { soulStates } from "../soul-states.ts";

export const route = createLazyRoute("/soul/$id/history")({ component: SoulHistoryPage });

function SoulHistoryPage() {
  const { id } = route.useParams();
  const soul = useQuery({ ...soulById(id), enabled: id > 0 });
  const versions = useQuery({ ...versionsOf(id), enabled: id > 0 });
  useDocumentTitle(soul.data ? `History of ${soul.data.title} · Soul Hub` : "Soul Hub");
  if (!id) return <FailureView failure={failureFor("soul_not_found")} />;
  const failed = [soul, versions].find(({ error, data }) => error && !data);
  if (failed) {
    return <FailureView failure={failureOf(failed.error)} onRetry={() => void failed.refetch()} />;
  }
  return (
    <div className="page">
      <p className="history__back">
        <Link to="/soul/$id" params={{ id }}>
          <BackIcon size={16} /> {soul.data?.title ?? "Back to the soul"}
        </Link>
      </p>
      <h1 className="page__title">History</h1>
      {soul.data && versions.data ? (
        <History soul={soul.data} versions={versions.data} />
      ) : (
        <Skeleton height={320} radius="lg" mt="lg" />
      )}
    </div>
  );
}

function History({ soul, versions }: { soul: Soul; versions: readonly SoulVersion[] }) {
  const search = route.useSearch();
  const { data: user } = useQuery(me);
  const states = useMemo(() => soulStates(soul, versions), [soul, versions]);
  const isMine = user?.username === soul.username;
  const to = states.find(({ id }) => id === search.to) ?? states[0];
  const from =
    states.find(({ id }) => id === search.from) ?? states[to ? states.indexOf(to) + 1 : 0];
  if (!to || !from) {
    return (
      <BlankSlate title="Nothing has changed yet">
        {isMine
          ? "Every time you save a change, the state before it is kept here."
          : "When its author changes this soul, you can read here what was different."}
      </BlankSlate>
    );
  }
  return (
    <>
      <p className="page__lead">
        Every change keeps the state before it. Pick one to see what it changed, or compare any two.
      </p>
      <div className="history">
        <StateList soulId={soul.id} states={states} from={from} to={to} isMine={isMine} />
        <div className="history__compared">
          <StateChoice soulId={soul.id} states={states} from={from} to={to} />
          <SoulComparison from={from} to={to} />
        </div>
      </div>
    </>
  );
}
