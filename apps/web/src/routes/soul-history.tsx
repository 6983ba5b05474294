import "./soul-history.css";
import { Skeleton } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { BlankSlate } from "../components/feedback/blank-slate.tsx";
import { FailureView, QueryFailure } from "../components/feedback/failure-view.tsx";
import { RevisionList } from "../components/history/revision-list.tsx";
import { RevisionSelect } from "../components/history/revision-select.tsx";
import { SoulComparison } from "../components/history/soul-comparison.tsx";
import { BackIcon } from "../components/icons.tsx";
import { failureFor } from "../failures.ts";
import { me, type Soul, type SoulVersion, soulById, versionsOf } from "../queries.ts";
import { revisionsOf } from "../revisions.ts";

export const route = createLazyRoute("/soul/$id/history")({ component: SoulHistoryPage });

function SoulHistoryPage() {
  const { id } = route.useParams();
  const soul = useQuery({ ...soulById(id), enabled: id > 0 });
  const versions = useQuery({ ...versionsOf(id), enabled: id > 0 });
  useDocumentTitle(soul.data ? `History of ${soul.data.title} · Soul Hub` : "Soul Hub");
  if (!id) return <FailureView failure={failureFor("soul_not_found")} />;
  const failed = [soul, versions].find(({ isLoadingError }) => isLoadingError);
  if (failed) return <QueryFailure query={failed} />;
  return (
    <div className="page">
      <p className="page__back">
        <Link to="/soul/$id" params={{ id }}>
          <BackIcon size={16} /> <bdi>{soul.data?.title ?? "Back to the soul"}</bdi>
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
  const states = useMemo(() => revisionsOf(soul, versions), [soul, versions]);
  const isMine = user?.username === soul.username;
  const to = states.find(({ id }) => id === search.to) ?? states[0];
  const from =
    states.find(({ id }) => id === search.from) ?? states[to ? states.indexOf(to) + 1 : 0];
  if (!to || !from) {
    return (
      <BlankSlate title="Nothing has changed yet">
        {isMine
          ? "Every save keeps the previous version here."
          : "When the author changes this soul, its earlier versions appear here."}
      </BlankSlate>
    );
  }
  return (
    <>
      <p className="page__lead">
        Every save keeps the previous version. Pick one to see what changed, or compare any two.
      </p>
      <div className="history">
        <RevisionList soulId={soul.id} states={states} from={from} to={to} isMine={isMine} />
        <div className="history__compared">
          <RevisionSelect soulId={soul.id} states={states} from={from} to={to} />
          <SoulComparison from={from} to={to} />
        </div>
      </div>
    </>
  );
}
