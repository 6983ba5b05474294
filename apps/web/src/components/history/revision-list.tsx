import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import { invalidate, queryClient, versionsOf } from "../../queries.ts";
import type { Revision } from "../../revisions.ts";
import { toast, toastFailure } from "../feedback/toasts.tsx";

interface RevisionListProps {
  soulId: number;
  /** The soul's versions, newest first. */
  states: readonly Revision[];
  from: Revision;
  to: Revision;
  isMine: boolean;
}

/** Lists the versions of a soul. Each link compares a version with the next newer one. */
export function RevisionList({ soulId, states, from, to, isMine }: RevisionListProps) {
  return (
    <nav className="panel" aria-label="Versions" style={{ padding: 0 }}>
      <ol className="revision-list">
        {states.map((state, at) => {
          const next = states[at - 1] ?? state;
          const isShown = at > 0 && state === from && next === to;
          return (
            <li key={state.id}>
              <Link
                to="/soul/$id/history"
                params={{ id: soulId }}
                search={at === 0 ? {} : { from: state.id, to: next.id }}
                className="revision-list__link"
                aria-current={isShown}
                resetScroll={false}
              >
                <strong>{state.name}</strong>
                <span>{state.when}</span>
              </Link>
              {isMine && state === from && state.id !== 0 && (
                <div className="revision-list__actions">
                  <RestoreButton soulId={soulId} state={state} />
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function RestoreButton({ soulId, state }: { soulId: number; state: Revision }) {
  const bringBack = async (versionId: number) => {
    await hub.versions.restore.mutate({ soul_id: soulId, version_id: versionId });
    await invalidate(["soul", soulId], ["versions", soulId], ["souls"], ["my-souls"]);
  };
  const restore = useMutation({
    mutationFn: () => bringBack(state.id),
    onSuccess: async () => {
      // Restoring a version stores the replaced text as the newest snapshot, which "Undo" restores.
      const [before] = (await queryClient.fetchQuery(versionsOf(soulId))).data;
      void toast({
        title: `${state.name} restored`,
        message: (
          <>
            The replaced text is in the history.{" "}
            {before && <UndoButton onUndo={() => bringBack(before.id)} />}
          </>
        ),
      });
    },
    onError: toastFailure,
  });
  return (
    <Button
      size="xs"
      variant="default"
      loading={restore.isPending}
      aria-label={`Restore ${state.name}`}
      onClick={() => restore.mutate()}
    >
      Restore
    </Button>
  );
}

function UndoButton({ onUndo }: { onUndo: () => Promise<void> }) {
  const undo = useMutation({ mutationFn: onUndo });
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={undo.isPending}
      disabled={undo.isSuccess}
      onClick={() => undo.mutate()}
    >
      {undo.isSuccess ? "Undone" : "Undo"}
    </Button>
  );
}
