import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { versionsOf } from "../../queries.ts";
import type { SoulState } from "../../soul-states.ts";
import { toast } from "../toasts.tsx";

interface StateListProps {
  soulId: number;
  /** The newest first. */
  states: readonly SoulState[];
  from: SoulState;
  to: SoulState;
  isMine: boolean;
}

/** A click shows what the edit that ended a state has changed. */
export function StateList({ soulId, states, from, to, isMine }: StateListProps) {
  return (
    <nav className="panel" aria-label="Versions" style={{ padding: 0 }}>
      <ol className="state-list">
        {states.map((state, at) => {
          const next = states[at - 1] ?? state;
          const isShown = at === 0 ? false : state === from && next === to;
          return (
            <li key={state.id}>
              <Link
                to="/soul/$id/history"
                params={{ id: soulId }}
                search={at === 0 ? {} : { from: state.id, to: next.id }}
                className="state-list__link"
                aria-current={isShown}
                resetScroll={false}
              >
                <strong>{state.name}</strong>
                <span>{state.when}</span>
              </Link>
              {isMine && state === from && state.id !== 0 && (
                <div className="state-list__ways">
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

function RestoreButton({ soulId, state }: { soulId: number; state: SoulState }) {
  const cache = useQueryClient();
  const bringBack = async (versionId: number) => {
    await hub.versions.restore.mutate({ soul_id: soulId, version_id: versionId });
    await Promise.all(
      ["soul", "versions", "souls", "my-souls"].map((key) =>
        cache.invalidateQueries({
          queryKey: key === "soul" || key === "versions" ? [key, soulId] : [key],
        }),
      ),
    );
  };
  const restore = useMutation({
    mutationFn: () => bringBack(state.id),
    onSuccess: async () => {
      // The state before the restoration is the newest snapshot now: going back to it undoes this.
      const [before] = (await cache.fetchQuery(versionsOf(soulId))).data;
      void toast({
        title: `${state.name} is back`,
        message: (
          <>
            Nothing is lost: the state before is in the history.{" "}
            {before && <UndoButton onUndo={() => bringBack(before.id)} />}
          </>
        ),
      });
    },
    onError: (error) => {
      const { title, hint } = failureOf(error);
      void toast({ color: "red", title, message: hint });
    },
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
