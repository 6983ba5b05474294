import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { me, type Soul, type SoulVersion, versionOf } from "../../queries.ts";
import { readSoulFiles } from "../../soul-files.ts";
import { type HistoryEntry, whyMissing } from "../../soul-history.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SoulFiles } from "../soul/soul-files.tsx";
import { ComparisonSelect } from "./comparison-select.tsx";
import { SoulComparison } from "./soul-comparison.tsx";
import { VersionCard } from "./version-card.tsx";

interface ShownVersionProps {
  soul: Soul;
  /** The soul's versions, newest first. */
  entries: readonly HistoryEntry[];
  /** The entry of the version to show. */
  entry: HistoryEntry;
  /**
   * The number of the version to compare it with; 0 shows the whole text. Default: the version
   * before.
   */
  other: number | undefined;
}

/** Shows one version of a soul, and how it differs from another one. */
export function ShownVersion({ soul, entries, entry, other }: ShownVersionProps) {
  const { data: user } = useQuery(me);
  const { data: version, error } = useQuery(versionOf(soul.id, entry.number));
  if (!version) return error ? <FailureNote error={error} /> : <Pending />;
  const before = entries.find(({ number }) => number < entry.number);
  const compared = other ?? before?.number ?? 0;
  return (
    <div className="stack">
      <VersionCard version={version} entry={entry} isMine={user?.username === soul.username} />
      {entries.length > 1 && (
        <ComparisonSelect soulId={soul.id} entries={entries} shown={entry.number} with={compared} />
      )}
      {compared === 0 ? (
        <WholeText version={version} />
      ) : entries.some(({ number }) => number === compared) ? (
        <Comparison version={version} other={compared} />
      ) : (
        <p role="status">
          v{compared} can't be compared. {whyMissing(compared, soul.version)}
        </p>
      )}
    </div>
  );
}

const Pending = () => <Skeleton height={320} radius="lg" />;

function WholeText({ version }: { version: SoulVersion }) {
  const { number, title, description, content_hidden } = version;
  if (content_hidden) return <p role="status">An NFT gate hides the text of v{number}.</p>;
  return (
    <section className="panel" aria-label={`The text of v${number}`}>
      <header className="stack stack--close whole-text__head" dir="auto">
        <h2>{title}</h2>
        {description.trim() && <p>{description}</p>}
      </header>
      <SoulFiles files={readSoulFiles(version)} />
    </section>
  );
}

/** Shows the changes from the older of two versions to the newer one. */
function Comparison({ version, other }: { version: SoulVersion; other: number }) {
  const { data, error } = useQuery(versionOf(version.soul_id, other));
  if (!data) return error ? <FailureNote error={error} /> : <Pending />;
  return other < version.number ? (
    <SoulComparison from={data} to={version} />
  ) : (
    <SoulComparison from={version} to={data} />
  );
}
