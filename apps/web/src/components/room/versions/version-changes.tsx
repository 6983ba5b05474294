import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { versionOf } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { SoulComparison } from "../../history/soul-comparison.tsx";
import { useRoomContext } from "../room-context.ts";

interface VersionChangesProps {
  /** The version that answers in the room. */
  pinned: number;
  latest: number;
}

/** Compares the version that answers in the room with the newest one. */
export function VersionChanges({ pinned, latest }: VersionChangesProps) {
  const { soul } = useRoomContext();
  const from = useQuery(versionOf(soul.id, pinned));
  const to = useQuery(versionOf(soul.id, latest));
  const error = from.error ?? to.error;
  if (error) return <FailureNote error={error} />;
  if (!from.data || !to.data) return <Skeleton height={320} radius="lg" />;
  return (
    <div className="stack">
      <p className="muted">
        From version {pinned}, which answers here, to version {latest}.
      </p>
      <SoulComparison from={from.data} to={to.data} />
      <p>
        <Link
          to="/soul/$id/history"
          params={{ id: soul.id }}
          search={{ version: latest, with: pinned }}
        >
          Open the history
        </Link>
      </p>
    </div>
  );
}
