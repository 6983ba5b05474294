import { Link } from "@tanstack/react-router";
import type { HistoryEntry } from "../../soul-history.ts";

interface VersionListProps {
  soulId: number;
  /** The soul's versions, newest first. */
  entries: readonly HistoryEntry[];
  /** The number of the version that the page shows. */
  shown: number;
}

/** Lists the versions of a soul. Each link shows a version and what changed in it. */
export function VersionList({ soulId, entries, shown }: VersionListProps) {
  return (
    <nav className="panel version-list" aria-label="Versions">
      <ol className="stack stack--tight version-list__entries">
        {entries.map(({ number, note, when, ...entry }) => (
          <li key={number}>
            <Link
              to="/soul/$id/history"
              params={{ id: soulId }}
              search={{ version: number }}
              className="item item--choice"
              aria-current={number === shown ? "page" : undefined}
              resetScroll={false}
            >
              <span className="item__words small">
                <span className="row row--apart">
                  <strong>v{number}</strong>
                  <span>{when}</span>
                </span>
                {note && (
                  <small className="clamp" dir="auto">
                    {note}
                  </small>
                )}
                <VersionMarks {...entry} />
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

type Marks = Pick<HistoryEntry, "isPresent" | "isHidden" | "isSigned" | "isConfirmed">;

function VersionMarks({ isPresent, isHidden, isSigned, isConfirmed }: Marks) {
  const signed = isConfirmed ? "Signed" : "Signed, not confirmed";
  const marks = [isPresent && "Present", isSigned && signed, isHidden && "Hidden"];
  const shown = marks.filter((mark) => mark !== false);
  return shown.length > 0 && <span className="version-list__marks">{shown.join(" · ")}</span>;
}
