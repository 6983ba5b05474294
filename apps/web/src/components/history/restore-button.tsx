import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import {
  invalidate,
  invalidateHistory,
  queryClient,
  type SoulVersion,
  versionsOf,
} from "../../queries.ts";
import { toast, toastFailure } from "../feedback/toasts.tsx";
import { UndoButton } from "../feedback/undo-button.tsx";

/** Restores a former version, which makes the next version with its texts. */
export function RestoreButton({ version: { soul_id, number, id } }: { version: SoulVersion }) {
  const navigate = useNavigate();
  const bringBack = async (versionId: number) => {
    const { version } = await hub.versions.restore.mutate({ soul_id, version_id: versionId });
    await invalidateHistory(soul_id);
    await invalidate(["souls"], ["my-souls"]);
    await navigate({ to: "/soul/$id/history", params: { id: soul_id }, search: { version } });
    return version;
  };
  const restore = useMutation({
    mutationFn: () => bringBack(id ?? 0),
    onSuccess: async (made) => {
      // Restoring a version stores the replaced text as the newest snapshot, which "Undo" restores.
      const [before] = (await queryClient.fetchQuery(versionsOf(soul_id))).data;
      void toast({
        title: `v${number} restored as v${made}`,
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
      aria-label={`Restore v${number}`}
      onClick={() => restore.mutate()}
    >
      Restore
    </Button>
  );
}
