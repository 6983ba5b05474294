import "./soul-history.css";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { FailureView, QueryFailure } from "../components/feedback/failure-view.tsx";
import { ShownVersion } from "../components/history/shown-version.tsx";
import { VersionList } from "../components/history/version-list.tsx";
import { BackIcon } from "../components/icons.tsx";
import { BlankSlate } from "../components/ui/blank-slate.tsx";
import { LinkButton } from "../components/ui/link-button.tsx";
import { usePageTitle } from "../components/ui/page-title.ts";
import { failureFor } from "../failures.ts";
import { type Soul, soulById, type VersionEntry, versionsOf } from "../queries.ts";
import { historyOf, whyMissing } from "../soul-history.ts";

export const route = createLazyRoute("/soul/$id/history")({ component: SoulHistoryPage });

function SoulHistoryPage() {
  const { id } = route.useParams();
  const soul = useQuery({ ...soulById(id), enabled: id > 0 });
  const versions = useQuery({ ...versionsOf(id), enabled: id > 0 });
  usePageTitle(soul.data ? `History of ${soul.data.title} · Soul Hub` : "Soul Hub");
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
      <p className="page__lead">
        Every save makes a new version. Pick one to see what changed, or compare any two.
      </p>
      {soul.data && versions.data ? (
        <History soul={soul.data} former={versions.data} />
      ) : (
        <Skeleton height={320} radius="lg" />
      )}
    </div>
  );
}

function History({ soul, former }: { soul: Soul; former: readonly VersionEntry[] }) {
  const { version: shown = soul.version, with: other } = route.useSearch();
  const entries = useMemo(() => historyOf(soul, former), [soul, former]);
  const entry = entries.find(({ number }) => number === shown);
  return (
    <div className="history">
      <VersionList soulId={soul.id} entries={entries} shown={shown} />
      {entry ? (
        <ShownVersion key={shown} soul={soul} entries={entries} entry={entry} other={other} />
      ) : (
        <BlankSlate
          title={`v${shown} can't be shown`}
          actions={
            <LinkButton to="/soul/$id/history" params={{ id: soul.id }} variant="default">
              Show the present version
            </LinkButton>
          }
        >
          {whyMissing(shown, soul.version)}
        </BlankSlate>
      )}
    </div>
  );
}
